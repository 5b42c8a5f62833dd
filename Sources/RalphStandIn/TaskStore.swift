/// `agent/tasks.jsonl` as ralph keeps it: read as a whole under a shared lock, rewritten in place as a whole under
/// an exclusive one (contract 6.1, 6.2).
struct TaskStore {
    /// Absolute.
    let path: String
    private(set) var tasks: [RuntimeTask] = []

    /// Reads the file; lines that are no tasks are left out, and lost at the next write.
    init(path: String) throws(StandInError) {
        self.path = path
        let lock = try LockedFile(sharing: path + ".lock")
        defer { lock.hold() }
        tasks = try Self.load(path)
    }

    /// Writes what was read and changed. What others wrote between the two locks is lost: so do `add`, `close` and
    /// `fail` of the real program.
    mutating func saveUnseen(_ change: (inout [RuntimeTask]) -> Void) throws(StandInError) {
        change(&tasks)
        let lock = try LockedFile(waitingFor: path + ".lock")
        defer { lock.hold() }
        try save()
    }

    /// Reads again, changes and writes under one lock, as `ensure`, `start` and `reopen` do.
    mutating func saveFresh<Value>(_ change: (inout [RuntimeTask]) -> Value) throws(StandInError) -> Value {
        let lock = try LockedFile(waitingFor: path + ".lock")
        defer { lock.hold() }
        tasks = try Self.load(path)
        let value = change(&tasks)
        try save()
        return value
    }

    private func save() throws(StandInError) {
        try TextFile.write(tasks.map { $0.json.compact + "\n" }.joined(), to: path)
    }

    private static func load(_ path: String) throws(StandInError) -> [RuntimeTask] {
        guard TextFile.exists(path) else { return [] }
        guard let text = TextFile.read(path) else { throw .failure("Failed to load tasks: \(path)") }
        return TextFile.lines(of: text).compactMap { RuntimeTask($0) }
    }
}
