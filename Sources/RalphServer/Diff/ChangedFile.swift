/// A file that differs from the base, as a client sees it. Bytes of a name that are no UTF-8 are shown as
/// U+FFFD.
struct ChangedFile: Encodable, Sendable, Equatable {
    /// What happened to it. Raw values are the wire's.
    enum Status: String, Encodable, Sendable {
        case added, modified, deleted, renamed, copied, unmerged, untracked
        case typeChanged = "type_changed"

        init(letter: UInt8) {
            switch letter {
            case UInt8(ascii: "A"): self = .added
            case UInt8(ascii: "D"): self = .deleted
            case UInt8(ascii: "R"): self = .renamed
            case UInt8(ascii: "C"): self = .copied
            case UInt8(ascii: "T"): self = .typeChanged
            case UInt8(ascii: "U"): self = .unmerged
            default: self = .modified
            }
        }
    }

    let path: String
    let status: Status
    let staged: Bool
    let additions: Int?
    let deletions: Int?
    let old_path: String?

    private enum CodingKeys: String, CodingKey {
        case path, status, staged, additions, deletions, old_path
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(path, forKey: .path)
        try container.encode(status, forKey: .status)
        try container.encode(staged, forKey: .staged)
        try container.encode(additions, forKey: .additions)  // null where nobody counted
        try container.encode(deletions, forKey: .deletions)
        try container.encodeIfPresent(old_path, forKey: .old_path)
    }
}

extension ChangedFile {
    /// What differs from the base, with what the index says of it; sorted by path.
    ///
    /// What differs from the head alone is no change: it may be as the base has it, or have come and gone
    /// since. Only files that git compares with no base, untracked and unmerged ones, are told from their
    /// entries.
    ///
    /// - Parameters:
    ///   - changes: since the base, paths relative to the workspace.
    ///   - entries: against the head, paths relative to the top.
    ///   - prefix: the workspace below the top.
    static func merge(
        _ changes: [GitChange], _ entries: [GitStatusEntry], prefix: String
    ) -> [ChangedFile] {
        let prefix = Array(prefix.utf8)
        var states: [[UInt8]: GitStatusEntry] = [:]
        for entry in entries where entry.path.starts(with: prefix) {
            states[Array(entry.path.dropFirst(prefix.count))] = entry
        }
        var files: [(path: [UInt8], file: ChangedFile)] = []
        for change in changes {
            files.append((change.path, ChangedFile(change, states.removeValue(forKey: change.path))))
        }
        for (path, entry) in states where entry.isUntracked || entry.isUnmerged {
            files.append((path, ChangedFile(path, entry)))
        }
        return files.sorted { $0.path.lexicographicallyPrecedes($1.path) }.map(\.file)
    }

    private init(_ change: GitChange, _ entry: GitStatusEntry?) {
        path = Self.text(change.path)
        if let entry, entry.isUntracked, change.letter != UInt8(ascii: "D"), change.oldPath == nil {
            status = .untracked
        } else {
            status = entry?.isUnmerged == true ? .unmerged : Status(letter: change.letter)
        }
        staged = entry?.isStaged ?? false
        additions = change.additions
        deletions = change.deletions
        old_path = change.oldPath.map(Self.text)
    }

    /// A file that is not tracked or not merged, and that nobody counted.
    private init(_ path: [UInt8], _ entry: GitStatusEntry) {
        self.path = Self.text(path)
        status = entry.isUntracked ? .untracked : .unmerged
        staged = entry.isStaged
        additions = nil
        deletions = nil
        old_path = nil
    }

    private static func text(_ path: [UInt8]) -> String { String(decoding: path, as: UTF8.self) }
}
