import Yams

/// A value of configurations that lie over each other: maps merge, anything else replaces (contract 7.1).
struct LayeredNode {
    /// Foremost first, at least one; more only where all of them are maps.
    private let layers: [Node]

    /// - Parameter found: what the configurations have, foremost first; `nil`: none has anything.
    init?(_ found: [Node]) {
        guard let foremost = found.first else { return nil }
        layers = foremost.mapping == nil ? [foremost] : Array(found.prefix { $0.mapping != nil })
    }

    /// The value as the foremost configuration has it.
    var node: Node { layers[0] }

    subscript(key: String) -> LayeredNode? { LayeredNode(layers.compactMap { $0[key] }) }

    /// The members with a name of a map, in no order; names are the same if their bytes are.
    var members: [(name: String, value: LayeredNode)] {
        var found: [[UInt8]: [Node]] = [:]
        for layer in layers {
            for (key, value) in layer.mapping ?? [:] {
                guard let name = key.string, !name.isEmpty else { continue }
                found[Array(name.utf8), default: []].append(value)
            }
        }
        return found.compactMap { name, values in
            LayeredNode(values).map { (name: String(decoding: name, as: UTF8.self), value: $0) }
        }
    }
}
