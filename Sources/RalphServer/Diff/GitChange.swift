/// One file of `git diff --raw --numstat -z` (git-diff(1), "Raw output format" and `--numstat`).
struct GitChange: Sendable, Equatable {
    /// Bytes as they are on disk, relative to where git was asked.
    let path: [UInt8]
    var oldPath: [UInt8]?
    /// `A`, `C`, `D`, `M`, `R`, `T` or `U`.
    let letter: UInt8
    /// Lines; `nil` for a binary file, and where the list was cut.
    var additions: Int?
    var deletions: Int?

    /// Reads the raw entries, which come first, and their figures behind them.
    static func read(_ output: [UInt8]) -> [GitChange] {
        var changes: [GitChange] = []
        var places: [[UInt8]: Int] = [:]
        var fields = NULFields(output)
        while let field = fields.next() {
            if field.first == UInt8(ascii: ":") {
                guard let change = raw(field, &fields) else { break }
                // An unmerged file is listed again as what lies in the worktree.
                if let place = places[change.path] {
                    if changes[place].letter != UInt8(ascii: "U") { changes[place] = change }
                } else {
                    places[change.path] = changes.count
                    changes.append(change)
                }
            } else if let (path, additions, deletions) = figures(field, &fields), let place = places[path] {
                changes[place].additions = additions
                changes[place].deletions = deletions
            }
        }
        return changes
    }

    /// `:mode mode name name letter[score]`, then one path, or two for renames and copies.
    private static func raw(_ field: ArraySlice<UInt8>, _ fields: inout NULFields) -> GitChange? {
        guard let letter = field.split(separator: UInt8(ascii: " ")).last?.first, let first = fields.next()
        else { return nil }
        guard letter == UInt8(ascii: "R") || letter == UInt8(ascii: "C") else {
            return GitChange(path: Array(first), letter: letter)
        }
        guard let second = fields.next() else { return nil }
        return GitChange(path: Array(second), oldPath: Array(first), letter: letter)
    }

    /// `additions TAB deletions TAB path`, or an empty path and then two; `-` for binary files.
    private static func figures(
        _ field: ArraySlice<UInt8>, _ fields: inout NULFields
    ) -> (path: [UInt8], additions: Int?, deletions: Int?)? {
        let parts = field.split(separator: 0x09, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var path = parts[2]
        if path.isEmpty {
            guard fields.next() != nil, let new = fields.next() else { return nil }
            path = new
        }
        return (Array(path), number(parts[0]), number(parts[1]))
    }

    private static func number(_ text: ArraySlice<UInt8>) -> Int? {
        Int(String(decoding: text, as: UTF8.self))
    }
}
