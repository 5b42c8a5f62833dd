import Foundation
import Yams

/// Puts in what the hats of a configuration import.
struct HatImports {
    /// Where the configuration lies; imports are relative to it, and stay below it.
    let directory: String
    /// The content of the file at a path below it; `nil`: it cannot be read, or may not.
    var read: (String) -> [UInt8]? = { path in
        BoundedFile.read(
            URL(fileURLWithPath: path).resolvingSymlinksInPath().path, maximumBytes: HatImport.maximumBytes)
    }

    /// Whether any of `hats` imports a file.
    static func areIn(_ hats: Node?) -> Bool {
        (hats?.mapping ?? [:]).contains {
            ConfigTree.value(HatImport.key, in: ConfigTree.list($0.value)) != nil
        }
    }

    func resolve(_ hats: Node) throws(GeneratedConfigError) -> Node {
        var resolved: [(Node, Node)] = []
        var budget = ImportBudget()
        for (name, hat) in hats.mapping ?? [:] {
            let found = try HatImport(hat, named: name.string ?? "?")
            let whole = try found?.merged(within: &budget) { read(directory + "/" + $0) }
            resolved.append((name, whole ?? hat))
        }
        return Node(resolved)
    }
}
