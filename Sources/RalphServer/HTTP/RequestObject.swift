import Hummingbird
import NIOCore
import RalphSessions
import RalphWire

/// The JSON object that a request brings, its members checked by type. Unknown members are ignored, `null`
/// counts as absent.
struct RequestObject: Sendable {
    private let object: JSONObject

    /// - Throws: ``Problem`` 400 unless `bytes` are one JSON object.
    init(_ bytes: [UInt8]) throws(Problem) {
        guard let object = JSONObject(bytes) else { throw .invalidRequest("the body must be a JSON object") }
        self.object = object
    }

    /// The body of `request`; a connection has bounded it already (``HTTPLimits/maximumBodyBytes``).
    static func read(_ request: Request) async throws -> RequestObject {
        try RequestObject(Array(buffer: try await request.body.collect(upTo: .max)))
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

    /// A string that can be a path or an argument of a program: it holds no NUL. What a person says is one too:
    /// it becomes part of a prompt, and a prompt with a NUL ends the run.
    func argument(_ name: String, limit: Int = 4096) throws(Problem) -> String? {
        let text = try string(name, limit: limit)
        guard text?.utf8.contains(0) != true else { throw .invalidRequest("\(name) must not contain NUL") }
        return text
    }

    /// A whole number inside `range`; `nil` if absent.
    func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        switch object.value(name) {
        case nil, .null: return nil
        case .integer(let value) where range.contains(value): return value
        case .integer, .number:
            throw .invalidRequest(
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
