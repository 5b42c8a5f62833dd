import Foundation
import Hummingbird
import NIOCore
import RalphSessions
import RalphWire

/// The JSON object that a request brings, its members checked by type. Unknown members are ignored, `null`
/// counts as absent.
struct RequestObject: Sendable {
    private let object: JSONObject

    /// - Throws: ``Problem`` 400 unless `bytes` are one JSON object, nested at most ``JSONObject/maximumDepth`` deep.
    init(_ bytes: [UInt8]) throws(Problem) {
        do throws(JSONObject.Refusal) {
            object = try JSONObject(reading: bytes)
        } catch {
            switch error {
            case .noObject: throw .invalidRequest("the body must be a JSON object")
            case .tooDeep:
                throw .invalidRequest("the body must be nested at most \(JSONObject.maximumDepth) deep")
            }
        }
    }

    /// The body of `request`; a connection has bounded it already (``HTTPLimits/maximumBodyBytes``).
    static func read(_ request: Request) async throws -> RequestObject {
        try RequestObject(Array(buffer: try await request.body.collect(upTo: .max)))
    }

    /// As ``read(_:)``; no body counts as an empty object.
    static func readIfAny(_ request: Request) async throws -> RequestObject {
        let bytes = Array(buffer: try await request.body.collect(upTo: .max))
        return try RequestObject(bytes.isEmpty ? Array("{}".utf8) : bytes)
    }

    /// A string; `nil` if absent or empty.
    ///
    /// - Parameter limit: UTF-8 bytes; more is 413.
    func string(_ name: String, limit: Int) throws(Problem) -> String? {
        switch object.value(name) {
        case nil, .null: return nil
        case .string(let text):
            guard text.utf8.count <= limit else { throw .memberTooLarge(name, limit: limit) }
            return text.isEmpty ? nil : text
        default: throw .invalidRequest("\(name) must be a string")
        }
    }

    /// A text, which may be empty; `nil` if absent. Like an argument it holds no NUL.
    ///
    /// - Parameter limit: UTF-8 bytes; more is 413.
    func text(_ name: String, limit: Int) throws(Problem) -> String? {
        if case .string(let text) = object.value(name), text.isEmpty { return text }
        return try argument(name, limit: limit)
    }

    /// A list of strings; `nil` if absent.
    ///
    /// - Parameters:
    ///   - count: of elements at most; more is 400, as is a text too long for so many of that size.
    ///   - limit: UTF-8 bytes of each; more is 413.
    func strings(_ name: String, count: Int, limit: Int) throws(Problem) -> [String]? {
        guard let text = object.text(of: name), text != "null" else { return nil }
        let other = Problem.invalidRequest("\(name) must be a list of strings")
        guard text.utf8.first == UInt8(ascii: "[") else { throw other }
        let excess = Problem.invalidRequest(
            "\(name) may have \(count) elements, each of at most \(limit) bytes")
        // Before millions are made of it: an element has two quotes and a comma, and six for a byte at most.
        guard text.utf8.count <= count * (limit * 6 + 3) + 2 else { throw excess }
        // Anything else than a list of strings is refused as such.
        guard let list = try? JSONDecoder().decode([String].self, from: Data(text.utf8)) else { throw other }
        guard list.count <= count else { throw excess }
        for element in list {
            guard element.utf8.count <= limit else { throw .memberTooLarge(name, limit: limit) }
            guard !element.utf8.contains(0) else { throw .invalidRequest("\(name) must not contain NUL") }
        }
        return list
    }

    /// Whether there is such a member, and it is not `null`.
    func has(_ name: String) -> Bool {
        switch object.value(name) {
        case nil, .null: false
        default: true
        }
    }

    /// A string that can be a path or an argument of a program: it holds no NUL. What a person says is one too:
    /// it becomes part of a prompt, and a prompt with a NUL ends the run.
    func argument(_ name: String, limit: Int = 4096) throws(Problem) -> String? {
        let text = try string(name, limit: limit)
        guard text?.utf8.contains(0) != true else { throw .invalidRequest("\(name) must not contain NUL") }
        return text
    }

    /// What a person says, as ``argument(_:limit:)``; `nil` also if it is nothing but white space.
    func words(_ name: String, limit: Int) throws(Problem) -> String? {
        let text = try argument(name, limit: limit)
        // By scalars: a space with an accent on it is one blank character, and yet something was said.
        let isBlank = text?.unicodeScalars.allSatisfy(\.properties.isWhitespace) ?? true
        return isBlank ? nil : text
    }

    /// A whole number inside `range`; `nil` if absent.
    ///
    /// - Parameter problem: what to say of a number outside; `nil`: the usual.
    func integer(
        _ name: String, in range: ClosedRange<Int>, otherwise problem: Problem? = nil
    ) throws(Problem) -> Int? {
        switch object.value(name) {
        case nil, .null: return nil
        case .integer(let value) where range.contains(value): return value
        case .integer, .number:
            throw problem
                ?? .invalidRequest(
                    "\(name) must be a number from \(range.lowerBound) to \(range.upperBound)")
        default: throw .invalidRequest("\(name) must be a number")
        }
    }

    /// `true` or `false`; `nil` if absent.
    func flag(_ name: String) throws(Problem) -> Bool? {
        switch object.value(name) {
        case nil, .null: return nil
        case .bool(let value): return value
        default: throw .invalidRequest("\(name) must be true or false")
        }
    }

    /// Any value as compact JSON text; `nil` if absent or `null`.
    func json(_ name: String, limit: Int) throws(Problem) -> String? {
        guard let text = object.text(of: name), text != "null" else { return nil }
        guard text.utf8.count <= limit else { throw .memberTooLarge(name, limit: limit) }
        guard !Self.holdsNUL(text) else { throw .invalidRequest("\(name) must not contain NUL") }
        guard !object.holdsLargerNumber(name) else {
            throw .invalidRequest("\(name) must not contain a number beyond \(JSONObject.largestNumber)")
        }
        return text
    }

    /// Whether a JSON text has the escape of a NUL: an odd number of backslashes and `u0000`.
    private static func holdsNUL(_ text: String) -> Bool {
        var backslashes = 0
        for (index, byte) in zip(text.utf8.indices, text.utf8) {
            if backslashes % 2 == 1, text.utf8[index...].starts(with: "u0000".utf8) { return true }
            backslashes = byte == UInt8(ascii: "\\") ? backslashes + 1 : 0
        }
        return false
    }
}
