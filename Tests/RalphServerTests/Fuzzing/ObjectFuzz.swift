import Foundation
import RalphSessions
import RalphWire

@testable import RalphServer

/// The body of a request, as ``RequestObject`` reads it.
///
/// Input: a body. Members are asked for by the names `a` to `f`, and by every name that it has.
enum ObjectFuzz {
    static func run(_ input: FuzzInput) throws(FuzzFinding) {
        let bytes = Array(input.rest)
        // What is no object is refused as such.
        guard let object = try? RequestObject(bytes), let plain = JSONObject(bytes) else { return }
        // What Foundation does not read, such as half a surrogate pair, is not compared.
        let other = (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any]
        for name in ["a", "b", "c", "d", "e", "f"] + (other?.keys.prefix(16).map { $0 } ?? []) {
            try checkTexts(name, object)
            try checkOthers(name, object)
            if other != nil, case .string(let text)? = plain.value(name),
                let expected = other?[name] as? String
            {
                try promise(isSame(text, expected, in: bytes), "\(name) is \(expected), not \(text)")
            }
            if other != nil, case .integer(let value)? = plain.value(name) {
                // As a double: Foundation cuts off what is too precise for one, and we round.
                let number = (other?[name] as? NSNumber)?.doubleValue
                let isNear = number.map { abs($0 - Double(value)) < 1 } ?? false
                try promise(isNear || isDoubled(bytes), "\(name) is not \(value)")
            }
        }
    }

    /// Refusals are answers too; what is not refused keeps to its bounds.
    private static func checkTexts(_ name: String, _ object: RequestObject) throws(FuzzFinding) {
        if let text = try? object.string(name, limit: 64) {
            try promise((1...64).contains(text.utf8.count), "string \(name)")
        }
        if let text = try? object.text(name, limit: 64) {
            try promise(text.utf8.count <= 64 && !text.utf8.contains(0), "text \(name)")
        }
        if let text = try? object.argument(name) { try promise(!text.utf8.contains(0), "argument \(name)") }
        if let text = try? object.words(name, limit: 64) {
            try promise(text.contains { !$0.isWhitespace } || !text.isEmpty, "words \(name)")
        }
        if let list = try? object.strings(name, count: 4, limit: 16) {
            try promise(list.count <= 4 && list.allSatisfy { $0.utf8.count <= 16 }, "strings \(name)")
        }
    }

    private static func checkOthers(_ name: String, _ object: RequestObject) throws(FuzzFinding) {
        if let value = try? object.integer(name, in: -5...1000) {
            try promise((-5...1000).contains(value), "integer \(name)")
        }
        // Only that it ends.
        _ = try? object.flag(name)
        if let json = try? object.json(name, limit: 4096) {
            _ = try EventPromises.object(Array(#"{"a":\#(json)}"#.utf8))
        }
    }

    /// Of two members of one name Foundation may take another.
    private static func isSame(_ text: String, _ expected: String, in bytes: [UInt8]) -> Bool {
        text.unicodeScalars.elementsEqual(expected.unicodeScalars) || isDoubled(bytes)
    }

    /// Whether the object has more members than names, counted by its colons.
    private static func isDoubled(_ bytes: [UInt8]) -> Bool { bytes.count { $0 == UInt8(ascii: ":") } > 1 }
}
