/// `ralph tools memory` (contract 6.3).
struct MemoryCommand {
    /// What was asked for.
    let request: MemoryRequest
    private var store: MemoryStore { MemoryStore(path: Workspace(root: request.root).memories) }

    /// Does what was asked.
    func perform() throws(StandInError) -> Int32 {
        let subject = request.subject ?? ""
        switch request.action {
        case "add": try add(subject)
        case "delete":
            guard try store.delete(subject) else { throw .failure("Memory not found: \(subject)") }
            Output.line("Memory deleted: \(subject)")
        case "init":
            try store.make(isForced: request.isForced)
            Output.line("Initialized memories file at \(store.path)")
        case "show":
            guard let memory = try store.load().first(where: { $0.id == subject }) else {
                throw .failure("Memory not found: \(subject)")
            }
            show([memory])
        case "search":
            let found = wanted(try store.load()).filter {
                subject.isEmpty || "\($0.content) \($0.tags)".lowercased().contains(subject.lowercased())
            }
            show(request.isAll ? found : Array(found.prefix(10)))
        default: show(wanted(try store.load()))
        }
        return 0
    }

    private func add(_ text: String) throws(StandInError) {
        let now = Moment()
        let memory = Memory(
            id: now.identifier("mem"), kind: request.type ?? .pattern, content: text, tags: request.tags,
            created: now.day)
        try store.add(memory)
        switch request.format ?? .table {
        case .quiet: Output.line(memory.id)
        case .json: Output.line(memory.json.pretty)
        default: Output.line("Memory stored: \(memory.id)")
        }
    }

    private func wanted(_ memories: [Memory]) -> [Memory] {
        let found = memories.filter { memory in
            (request.type == nil || memory.kind == request.type)
                && (request.tags.isEmpty || memory.tags.contains { request.tags.contains($0) })
        }
        return request.last.map { Array(found.suffix($0)) } ?? found
    }

    private func show(_ memories: [Memory]) {
        let usual: ToolsRequest.Format = request.action == "prime" ? .markdown : .table
        if memories.isEmpty {
            if request.action != "prime" { Output.line("\nNo memories yet.\n") }
            return
        }
        switch request.format ?? usual {
        case .json: Output.line(JSONValue.array(memories.map(\.json)).pretty)
        case .quiet: memories.forEach { Output.line($0.id) }
        case .markdown:
            var text = "# Memories\n"
            for kind in Memory.Kind.allCases {
                let blocks = memories.filter { $0.kind == kind }.map(\.block)
                if !blocks.isEmpty { text += "\n## \(kind.section)\n" + blocks.joined() }
            }
            Output.raw(Array(text.utf8))
        case .table:
            for memory in memories {
                let text = memory.content.prefix(50).map { $0.isNewline ? " " : $0 }
                Output.line("\(memory.id)  \(memory.kind.rawValue)  \(memory.created)  \(String(text))")
            }
        }
    }
}
