import Foundation

/// The types of the real client (http-contract 3-10): a missing member, a `null` where none may be, or a value of
/// another type makes them throw, as it makes the client. Members that the client ignores are here where our
/// documents promise them. Member names are the wire's.
enum ClientModels {
    /// A time as `started_at` is parsed: internet date and time with fraction, so exactly three digits and `Z`.
    struct Time: Decodable, Sendable, Equatable, Comparable {
        let text: String

        init(from decoder: any Decoder) throws {
            text = try decoder.singleValueContainer().decode(String.self)
            guard text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil else {
                throw DecodingError.dataCorrupted(
                    .init(
                        codingPath: decoder.codingPath, debugDescription: "\(text) is no time of the client"))
            }
        }

        static func < (left: Time, right: Time) -> Bool { left.text < right.text }
    }

    /// A whole number that is not negative.
    struct Count: Decodable, Sendable, Equatable {
        let value: Int

        init(from decoder: any Decoder) throws {
            value = try decoder.singleValueContainer().decode(Int.self)
            guard value >= 0 else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "\(value) is negative"))
            }
        }
    }

    /// Any JSON value.
    enum Value: Decodable, Sendable {
        case null
        case bool(Bool)
        case number(Double)
        case text(String)
        case array([Value])
        case object([String: Value])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            // One of them fits any JSON; those that do not are no failure.
            if container.decodeNil() {
                self = .null
            } else if let value = try? container.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? container.decode(Double.self) {
                self = .number(value)
            } else if let value = try? container.decode(String.self) {
                self = .text(value)
            } else if let value = try? container.decode([Value].self) {
                self = .array(value)
            } else {
                self = .object(try container.decode([String: Value].self))
            }
        }
    }

    /// The error body; `error` is what the client parses, `code` what the public documents name.
    struct Problem: Decodable, Sendable {
        let error: String
        let code: String
        let details: String?
    }
}
