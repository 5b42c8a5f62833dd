import NIOCore
import RalphControl
import RalphSessions
import RalphWire

/// What the workspace routes call: one function per answer; every change is on record.
struct WorkspaceFiles: Sendable {
    let resolver: WorkspaceResolver
    let waiting: LockWaiting
    let control: ControlService
    let keeper: TaskKeeper
    var rule = CommandRule()

    /// The workspace that a query names.
    func place(_ query: QueryItems) async throws -> WorkspacePlace {
        let name = WorkspaceResolver.Name(query)
        return try await control.threads.run(at: resolver.line(of: name)) { [resolver] in
            try resolver.place(name)
        }
    }

    // MARK: Tasks

    /// The list as JSON text: encoding ten thousand of them is no work for an event loop. A file is in memory only
    /// as long as it is worked on, and few are read at once.
    func tasks(_ place: WorkspacePlace, _ query: TaskRequest.Query) async throws -> ByteBuffer {
        try await waiting.value(at: place.path, otherwise: .locked(.tasks)) {
            let lines = try Self.about(.tasks) { () throws(WorkspaceError) in try TaskFile(place).read() }
            return try lines.map { lines in
                let page = lines.page(
                    status: query.status?.rawValue, offset: query.offset, limit: query.limit)
                return ByteBuffer(bytes: try JSONResponse.text(TaskObject.List(page, query)))
            }
        }
    }

    func addTask(_ place: WorkspacePlace, _ draft: TaskDraft, by caller: Caller) async throws -> TaskObject {
        try await recorded("task_add", place, by: caller, draft.title) { requester in
            let now = WallClock.milliseconds()
            let task = try await locked(.tasks, of: place, for: requester) {
                [keeper] () throws(WorkspaceError) -> WrittenTask? in
                let task = try TaskFile(place).add(draft, now: now) { keeper.task($0, in: place) != nil }
                if let task { keeper.note(task, in: place) }
                return task
            }
            return TaskObject(task.record)
        }
    }

    func updateTask(
        _ place: WorkspacePlace, _ id: String, _ change: TaskChange, by caller: Caller
    ) async throws -> TaskObject {
        let detail = change.status.map { "\(id) \($0.rawValue)" } ?? id
        return try await recorded("task_update", place, by: caller, detail) { requester in
            let now = WallClock.milliseconds()
            let lost = keeper.task(id, in: place)
            let task = try await locked(.tasks, of: place, for: requester) { () throws(WorkspaceError) in
                try TaskFile(place).update(id, change, now: now, lost: lost)
            }
            keeper.noteChange(task, in: place)
            return TaskObject(task.record)
        }
    }

    // MARK: Memories

    func memories(_ place: WorkspacePlace) async throws -> MemoriesObject {
        MemoriesObject(try await memoryContent(place))
    }

    /// - Throws: ``Problem`` 404 without a file.
    func exportMemories(_ place: WorkspacePlace) async throws -> MemoriesExport {
        let content = try await memoryContent(place)
        guard content.modified != nil else { throw Problem.memoriesNotFound }
        return MemoriesExport(content, now: WallClock.milliseconds())
    }

    func replaceMemories(
        _ place: WorkspacePlace, _ request: MemoriesRequest, by caller: Caller
    ) async throws -> MemoriesObject {
        let bytes = Array(request.content.utf8)
        return try await recorded("memories_write", place, by: caller, "\(bytes.count) bytes") { requester in
            let modified = try await locked(.memories, of: place, for: requester) {
                () throws(WorkspaceError) in
                try MemoryFile(place).replace(with: bytes, ifModified: request.known)
            }
            return MemoriesObject(FileContent(bytes: bytes, modified: modified))
        }
    }

    private func memoryContent(_ place: WorkspacePlace) async throws -> FileContent {
        try await locked(.memories, of: place) { () throws(WorkspaceError) in try MemoryFile(place).read() }
    }

    // MARK: Configuration

    /// - Throws: ``Problem`` 404 without a file, and for one that is no UTF-8, as the library does.
    func exportConfig(_ place: WorkspacePlace) async throws -> ConfigExport {
        let found = try await control.threads.run(at: place.path) {
            try Self.about(.configuration) { () throws(WorkspaceError) in try ConfigFile(place).read() }
        }
        guard let found else { throw Problem.configurationNotFound }
        guard let text = found.content.text else {
            var problem = Problem.configNotFound(found.name)
            problem.details = "The file is not UTF-8."
            throw problem
        }
        return ConfigExport(content: text, filename: found.name)
    }

    func importConfig(_ place: WorkspacePlace, _ yaml: String, by caller: Caller) async throws -> ConfigImport
    {
        try await recorded("config_import", place, by: caller, "\(yaml.utf8.count) bytes") {
            requester in
            let stamp = FileStamp.text(WallClock.milliseconds())
            try await control.threads.run(at: place.path) { [rule] in
                try Self.check(yaml)
                try rule.check(config: yaml, by: caller)
            }
            let done = try await locked(.configuration, of: place, for: requester) {
                () throws(WorkspaceError) in
                try ConfigFile(place).replace(with: Array(yaml.utf8), stamp: stamp)
            }
            return ConfigImport(path: done.name, backup: done.backup)
        }
    }

    private static func check(_ yaml: String) throws(Problem) {
        do throws(GeneratedConfigError) {
            try ConfigCheck.check(yaml)
        } catch {
            throw .invalidYAML("\(error)")
        }
    }

    // MARK: Parts

    private func recorded<Value: Sendable>(
        _ kind: String, _ place: WorkspacePlace, by caller: Caller, _ detail: String,
        _ body: (Requester) async throws -> Value
    ) async throws -> Value {
        try await control.command(
            kind, on: place.directory.id, by: caller, detail: Problem.oneLine(detail)
        ) { _ in try await body(control.requester(caller)) }
    }

    /// - Parameter requester: who changes the file, asked again when the lock is free; `nil`: it is only read.
    private func locked<Value: Sendable>(
        _ file: Problem.WorkspaceFile, of place: WorkspacePlace, for requester: Requester? = nil,
        _ attempt: @escaping @Sendable () throws(WorkspaceError) -> Value?
    ) async throws -> Value {
        try await waiting.value(at: place.path, otherwise: .locked(file), isChange: requester != nil) {
            if let requester { try Self.requireRight(of: requester) }
            return try Self.about(file, isWriting: requester != nil, attempt)
        }
    }

    private static func requireRight(of requester: Requester) throws(Problem) {
        guard requester.hasRight else { throw .unauthorized }
    }

    private static func about<Value>(
        _ file: Problem.WorkspaceFile, isWriting: Bool = false, _ body: () throws(WorkspaceError) -> Value
    ) throws(Problem) -> Value {
        do throws(WorkspaceError) { return try body() } catch {
            throw Problem(error, of: file, isWriting: isWriting)
        }
    }
}
