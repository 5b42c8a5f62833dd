import Foundation
import Yams

/// Puts in what hats import from files (contract 7.2): the file's members, replaced by those of the hat.
struct HatImports {
    private static let key = "import"
    /// A larger file is not read.
    static let maximumBytes = 1 << 20

    /// Where the configuration lies; imports are relative to it, and stay below it.
    let directory: String
    /// The content of the file at a path below it; `nil`: it cannot be read, or may not.
    var read: (String) -> [UInt8]? = { path in
        BoundedFile.read(
            URL(fileURLWithPath: path).resolvingSymlinksInPath().path, maximumBytes: maximumBytes)
    }

    /// Whether any of `hats` imports a file.
    static func areIn(_ hats: Node?) -> Bool {
        (hats?.mapping ?? [:]).contains { ConfigTree.value(key, in: ConfigTree.list($0.value)) != nil }
    }

    func resolve(_ hats: Node) throws(GeneratedConfigError) -> Node {
        var resolved: [(Node, Node)] = []
        for (name, hat) in hats.mapping ?? [:] {
            guard let wanted = ConfigTree.value(Self.key, in: ConfigTree.list(hat)) else {
                resolved.append((name, hat))
                continue
            }
            let problem = { (text: String) in
                GeneratedConfigError(
                    line: wanted.mark?.line, problem: "hat \(name.string ?? "?"): import \(text)")
            }
            guard let path = wanted.string else { throw problem("must be the path of a file") }
            if path.utf8.first == UInt8(ascii: "/") || ConfigPath.parts(of: path).contains("..") {
                throw problem("\(path) must be below the configuration")
            }
            resolved.append((name, Node(try merged(hat, path, problem))))
        }
        return Node(resolved)
    }

    private func merged(
        _ hat: Node, _ path: String, _ problem: (String) -> GeneratedConfigError
    ) throws(GeneratedConfigError) -> [(Node, Node)] {
        guard let bytes = read(directory + "/" + path) else {
            throw problem("\(path) is no readable file of at most 1 MiB")
        }
        var members: [(Node, Node)]
        do throws(GeneratedConfigError) {
            members = try ConfigTree.pairs(ofDocument: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw problem("\(path): \(error)")
        }
        for refused in [Self.key, "events"] where ConfigTree.value(refused, in: members) != nil {
            throw problem("\(path) must not have \(refused)")
        }
        for (key, value) in ConfigTree.list(hat) where key.string != Self.key {
            ConfigTree.set(key, to: value, in: &members)
        }
        return members
    }
}
