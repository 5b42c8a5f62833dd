/// `agent/memories.md` as ralph keeps it: rewritten in place under the lock beside it (contract 6.2, 6.3).
struct MemoryStore {
    private static let template = "# Memories\n\n## Patterns\n\n## Decisions\n\n## Fixes\n\n## Context\n"

    /// Relative to the current directory, or absolute.
    let path: String

    /// All entries.
    func load() throws(StandInError) -> [Memory] {
        guard TextFile.exists(path) else { return [] }
        let lock = try LockedFile(sharing: path + ".lock")
        defer { lock.hold() }
        return Memory.parse(try text())
    }

    /// Puts an entry right behind the heading of its section.
    func add(_ memory: Memory) throws(StandInError) {
        let lock = try LockedFile(waitingFor: path + ".lock")
        defer { lock.hold() }
        let old = TextFile.exists(path) ? try text() : Self.template
        let heading = "## \(memory.kind.section)"
        guard let found = old.firstRange(of: heading),
            let end = old[found.upperBound...].firstIndex(of: "\n")
        else {
            let trimmed = String(old.reversed().drop(while: \.isWhitespace).reversed())
            return try TextFile.write("\(trimmed)\n\(heading)\n\(memory.block)", to: path)
        }
        let split = old.index(after: end)
        try TextFile.write(old[..<split] + memory.block + old[split...], to: path)
    }

    /// Writes all entries but one anew: whatever is no entry is lost.
    func delete(_ id: String) throws(StandInError) -> Bool {
        guard TextFile.exists(path) else { return false }
        let lock = try LockedFile(waitingFor: path + ".lock")
        defer { lock.hold() }
        let all = Memory.parse(try text())
        guard all.contains(where: { $0.id == id }) else { return false }
        var text = "# Memories\n"
        for kind in Memory.Kind.allCases {
            text += "\n## \(kind.section)\n"
            text += all.filter { $0.kind == kind && $0.id != id }.map(\.block).joined()
        }
        try TextFile.write(text, to: path)
        return true
    }

    /// Makes the file with its four headings.
    func make(isForced: Bool) throws(StandInError) {
        let lock = try LockedFile(waitingFor: path + ".lock")
        defer { lock.hold() }
        guard isForced || !TextFile.exists(path) else {
            throw .failure("Memories file already exists at \(path). Use --force to overwrite.")
        }
        try TextFile.write(Self.template, to: path)
    }

    private func text() throws(StandInError) -> String {
        guard let text = TextFile.read(path) else { throw .failure("Failed to read memories: \(path)") }
        return text
    }
}
