import Yams

/// Puts in what the hats of configurations import, where a session is told by them.
///
/// A hat whose import cannot be read stays as it is: Ralph does not start a run with it. Bounded, as whatever reads
/// sessions waits for it.
struct KnownImports {
    private static let maximumFiles = 256

    /// Absolute paths of the files that were looked for.
    private(set) var files: [String] = []
    private var bytesLeft = HatImport.maximumBytes
    private var budget = ImportBudget()

    /// The map `root`, which is the configuration at `file`, with the imports.
    mutating func resolved(_ root: Node, of file: String) -> Node {
        guard let hats = root["hats"], HatImports.areIn(hats), let directory = file.pathParts?.parent else {
            return root
        }
        var members: [(Node, Node)] = []
        for (name, hat) in hats.mapping ?? [:] {
            members.append((name, resolved(hat: hat, below: directory)))
        }
        var root = root
        root["hats"] = Node(members)
        return root
    }

    private mutating func resolved(hat: Node, below directory: String) -> Node {
        // What is wrong with it, Ralph says.
        guard let found = try? HatImport(hat, named: ""), files.count < Self.maximumFiles else { return hat }
        files.append(directory.appendingPath(found.path))
        let bytes = read(found.path, below: directory)
        bytesLeft -= bytes?.count ?? 0
        // As above.
        return (try? found.merged(within: &budget) { _ in bytes }) ?? hat
    }

    /// The content of a file; `nil` where a link leads out of the directory, to what is hidden there or to another kind of
    /// file.
    private func read(_ path: String, below directory: String) -> [UInt8]? {
        guard let home = directory.canonicalPath, let real = home.appendingPath(path).canonicalPath,
            let below = real.path(below: home),
            real.isPath(home.appendingPath(path))
                || !SessionDirectory.isHidden(below) && real.hasPathExtension(of: path)
        else { return nil }
        return BoundedFile.read(real, maximumBytes: bytesLeft, isDirect: true)
    }
}
