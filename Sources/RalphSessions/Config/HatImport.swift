package import Yams

/// What one hat imports from a file (contract 7.2): the file's members, replaced by those of the hat.
package struct HatImport {
    static let key = "import"
    /// A larger file is not read.
    package static let maximumBytes = 1 << 20

    /// The hat as it stands.
    package let hat: Node
    /// Of the file, below the directory of the configuration.
    package let path: String
    private let name: String
    private let line: Int?

    /// `nil`: the hat imports nothing.
    ///
    /// - Throws: what is wrong with the path, and in which line.
    package init?(_ hat: Node, named name: String) throws(GeneratedConfigError) {
        guard let wanted = ConfigTree.value(Self.key, in: ConfigTree.list(hat)) else { return nil }
        (self.hat, self.name, line) = (hat, name, wanted.mark?.line)
        path = wanted.string ?? ""
        guard wanted.string != nil else { throw problem("must be the path of a file") }
        if path.utf8.first == UInt8(ascii: "/") || ConfigPath.parts(of: path).contains("..") {
            throw problem("\(path) must be below the configuration")
        }
    }

    /// The hat with what it imports.
    ///
    /// - Parameters:
    ///   - budget: what the imports of this configuration may still have.
    ///   - read: gives the content of the file at ``path``; `nil`: it cannot be read, or may not.
    /// - Throws: why Ralph would refuse that, or that it is too much.
    package func merged(
        within budget: inout ImportBudget, _ read: (String) -> [UInt8]?
    ) throws(GeneratedConfigError) -> Node {
        let tooMuch = problem("\(path): \(ImportBudget.problem)")
        guard !budget.isSpent else { throw tooMuch }
        guard let bytes = read(path) else { throw problem("\(path) is no readable file of at most 1 MiB") }
        guard budget.take(bytes: bytes.count) else { throw tooMuch }
        var members: [(Node, Node)]
        do throws(GeneratedConfigError) {
            members = try ConfigTree.pairs(ofDocument: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw problem("\(path): \(error)")
        }
        guard budget.take(members) else { throw tooMuch }
        for refused in [Self.key, "events"] where ConfigTree.value(refused, in: members) != nil {
            throw problem("\(path) must not have \(refused)")
        }
        // Not looked for one by one, as anybody may have written many.
        var places: [String: Int] = [:]
        for (index, member) in members.enumerated() {
            if let key = member.0.string, places[key] == nil { places[key] = index }
        }
        for (key, value) in ConfigTree.list(hat) where key.string != Self.key {
            if let index = key.string.flatMap({ places[$0] }) {
                members[index].1 = value
            } else {
                members.append((key, value))
            }
        }
        return Node(members)
    }

    private func problem(_ text: String) -> GeneratedConfigError {
        GeneratedConfigError(line: line, problem: "hat \(name): import \(text)")
    }
}
