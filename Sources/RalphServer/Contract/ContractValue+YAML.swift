import Yams

/// Reading the description.
extension ContractValue {
    /// Nested deeper than this, a document is none.
    static let maximumDepth = 64

    /// A document of YAML by the core schema of version 1.2, which is what OpenAPI asks for: only `true` and
    /// `false` are Booleans, so `no`, `on` and a date are texts; keys are texts, whatever they look like.
    ///
    /// - Throws: ``ContractError``.
    init(yaml: String) throws(ContractError) {
        let node: Node?
        do {
            node = try Yams.compose(yaml: yaml)
        } catch {
            throw ContractError("\(error)")
        }
        guard let node else { throw ContractError("the document is empty") }
        self = try Self.value(of: node, depth: 0)
    }

    private static func value(of node: Node, depth: Int) throws(ContractError) -> ContractValue {
        guard depth < maximumDepth else { throw ContractError("nested too deeply") }
        switch node {
        case .scalar(let scalar): return value(of: scalar)
        case .sequence(let sequence):
            var elements: [ContractValue] = []
            for node in sequence { elements.append(try value(of: node, depth: depth + 1)) }
            return .array(elements)
        case .mapping(let mapping):
            var members: [Member] = []
            for (key, node) in mapping {
                guard let name = key.scalar?.string else { throw ContractError("a key that is no text") }
                members.append(Member(name: name, value: try value(of: node, depth: depth + 1)))
            }
            return .object(members)
        case .alias: throw ContractError("an alias of nothing")
        }
    }

    private static func value(of scalar: Node.Scalar) -> ContractValue {
        // Quoted, in a block, or marked as a text: it is one, whatever it looks like.
        guard scalar.style == .plain || scalar.style == .any else { return .string(scalar.string) }
        if scalar.tag.rawValue == Tag.Name.str.rawValue { return .string(scalar.string) }
        switch scalar.string {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .bool(true)
        case "false", "False", "FALSE": return .bool(false)
        default: return number(scalar.string).map(ContractValue.number) ?? .string(scalar.string)
        }
    }

    /// The JSON text of a number: `[-+]?[0-9]+`, `0o…`, `0x…`, or with a point or an exponent. Infinities and
    /// what is not a number stay texts, since JSON has no such numbers.
    private static func number(_ text: String) -> String? {
        if text.hasPrefix("0x") { return Int64(text.dropFirst(2), radix: 16).map(String.init) }
        if text.hasPrefix("0o") { return Int64(text.dropFirst(2), radix: 8).map(String.init) }
        let unsigned = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
        guard let first = unsigned.utf8.first, isDigit(first) || first == UInt8(ascii: "."),
            unsigned.utf8.contains(where: isDigit),
            unsigned.utf8.allSatisfy({ isDigit($0) || ".eE+-".utf8.contains($0) })
        else { return nil }
        if let integer = Int64(text) { return String(integer) }
        // `Double` reads neither a bare point at the end nor one at the start.
        var plain = String(unsigned)
        if plain.hasPrefix(".") { plain = "0" + plain }
        if plain.hasSuffix(".") { plain += "0" }
        guard let value = Double(plain.replacing(".e", with: ".0e").replacing(".E", with: ".0e")),
            value.isFinite
        else { return nil }
        return "\(text.hasPrefix("-") ? -value : value)"
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

/// The description cannot be read.
struct ContractError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
