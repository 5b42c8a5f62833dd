/// One entry of `git status --porcelain=v2 -z` (git-status(1), "Porcelain Format Version 2").
struct GitStatusEntry: Sendable, Equatable {
    /// Bytes as they are on disk, relative to the top of the worktree.
    let path: [UInt8]
    /// The letter of the index against the head; `.` for none.
    let index: UInt8
    /// The letter of the worktree against the index; `.` for none.
    let worktree: UInt8

    static let untracked = UInt8(ascii: "?")
    static let none = UInt8(ascii: ".")

    /// Whether the index holds a change that the head does not have.
    var isStaged: Bool { !isUnmerged && index != Self.none && index != Self.untracked }
    var isUntracked: Bool { index == Self.untracked }
    var isUnmerged: Bool {
        index == UInt8(ascii: "U") || worktree == UInt8(ascii: "U")
            || (index == worktree && (index == UInt8(ascii: "A") || index == UInt8(ascii: "D")))
    }

    /// Reads all entries; a last one without its NUL, and what is no entry, are left out.
    static func read(_ output: [UInt8]) -> [GitStatusEntry] {
        var entries: [GitStatusEntry] = []
        var fields = NULFields(output)
        while let field = fields.next() {
            switch field.first {
            case UInt8(ascii: "1"): if let entry = ordinary(field, skipping: 8) { entries.append(entry) }
            case UInt8(ascii: "u"): if let entry = ordinary(field, skipping: 10) { entries.append(entry) }
            case UInt8(ascii: "2"):
                // What it was renamed or copied from stands in a field of its own.
                guard fields.next() != nil, let entry = ordinary(field, skipping: 9) else { break }
                entries.append(entry)
            case untracked where field.count > 2:
                entries.append(
                    GitStatusEntry(path: Array(field.dropFirst(2)), index: untracked, worktree: untracked))
            default: break  // headers and ignored files
            }
        }
        return entries
    }

    /// The entry whose path stands behind `count` words.
    private static func ordinary(_ field: ArraySlice<UInt8>, skipping count: Int) -> GitStatusEntry? {
        let parts = field.split(
            separator: UInt8(ascii: " "), maxSplits: count, omittingEmptySubsequences: false)
        guard parts.count == count + 1, parts[1].count == 2, let index = parts[1].first,
            let worktree = parts[1].last, let path = parts.last, !path.isEmpty
        else { return nil }
        return GitStatusEntry(path: Array(path), index: index, worktree: worktree)
    }
}
