import RalphWire

/// A value of the interface's description: what JSON can say, with members in the order of the document.
indirect enum ContractValue: Sendable, Equatable {
    /// One member of an object.
    struct Member: Sendable, Equatable {
        let name: String
        let value: ContractValue
    }

    case object([Member])
    case array([ContractValue])
    case string(String)
    /// Its text by the grammar of JSON.
    case number(String)
    case bool(Bool)
    case null

    /// The member `name`; `nil` where there is none, or no object.
    subscript(name: String) -> ContractValue? { members.last { $0.name == name }?.value }

    /// The members of an object; none of anything else.
    var members: [Member] {
        if case .object(let members) = self { return members }
        return []
    }

    /// The elements of an array; none of anything else.
    var elements: [ContractValue] {
        if case .array(let elements) = self { return elements }
        return []
    }

    var string: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    /// A scalar as people write it; the JSON text of anything else.
    var shown: String {
        if case .string(let text) = self { return text }
        return String(decoding: json, as: UTF8.self)
    }

    /// The value as JSON text.
    var json: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    private func append(to bytes: inout [UInt8]) {
        switch self {
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                JSONText.appendString(member.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .string(let text): JSONText.appendString(text, to: &bytes)
        case .number(let text): bytes += text.utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .null: bytes += "null".utf8
        }
    }
}
