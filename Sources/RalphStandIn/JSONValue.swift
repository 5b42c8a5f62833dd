/// One member of an object.
struct JSONMember: Equatable {
    let key: String
    let value: JSONValue

    init(_ key: String, _ value: JSONValue) {
        self.key = key
        self.value = value
    }
}

/// A JSON value whose members keep their order: the order of keys in ralph's files is part of their form.
enum JSONValue: Equatable {
    case null
    case bool(Bool)
    /// A number as it is spelled.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([JSONMember])

    static func integer(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }

    /// A cost or another fraction, spelled as Rust spells it.
    static func fraction(_ value: Double) -> JSONValue { .number("\(value)") }

    static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    /// The value of the last member `key`.
    subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.key == key }?.value
    }

    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    var integer: Int? {
        if case .number(let text) = self { Int(text) ?? Double(text).map { Int($0) } } else { nil }
    }

    var fraction: Double? {
        if case .number(let text) = self { Double(text) } else { nil }
    }

    var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// The same value with the members of every object in alphabetical order, as ralph's JSON library keeps them.
    var sorted: JSONValue {
        switch self {
        case .object(let members):
            .object(members.map { JSONMember($0.key, $0.value.sorted) }.sorted { $0.key < $1.key })
        case .array(let elements): .array(elements.map(\.sorted))
        default: self
        }
    }

    /// Without blanks.
    var compact: String { written(indent: nil) }
    /// Two blanks per level, no newline at the end.
    var pretty: String { written(indent: 0) }

    private func written(indent: Int?) -> String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let text): text
        case .string(let text): Self.quoted(text)
        case .array(let elements):
            Self.list(elements.map { $0.written(indent: indent.map { $0 + 2 }) }, "[", "]", indent)
        case .object(let members):
            Self.list(
                members.map {
                    Self.quoted($0.key) + (indent == nil ? ":" : ": ")
                        + $0.value.written(indent: indent.map { $0 + 2 })
                }, "{", "}", indent)
        }
    }

    private static func list(_ parts: [String], _ open: String, _ close: String, _ indent: Int?) -> String {
        guard let indent, !parts.isEmpty else { return open + parts.joined(separator: ",") + close }
        let inner = String(repeating: " ", count: indent + 2)
        let outer = String(repeating: " ", count: indent)
        return open + "\n" + parts.map { inner + $0 }.joined(separator: ",\n") + "\n" + outer + close
    }

    /// `text` as a JSON string.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{08}": result += "\\b"
            case "\u{0C}": result += "\\f"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
