import Foundation

/// `ralph tools task` (contract 6.1).
struct TaskCommand {
    /// What was asked for.
    let request: TaskRequest
    private let workspace: Workspace

    init(request: TaskRequest) {
        self.request = request
        workspace = request.root.map { Workspace(root: $0) } ?? Workspace.nearest()
    }

    /// Does what was asked.
    func perform() throws(StandInError) -> Int32 {
        var store = try TaskStore(path: workspace.tasks)
        switch request.action {
        case "add":
            let task = draft
            try store.saveUnseen { $0.append(task) }
            show(task, verb: "Created")
        case "ensure":
            let existed = store.tasks.contains { $0.key == request.key }
            let task = try store.saveFresh { Self.ensure(draft, in: &$0) }
            show(task, verb: existed ? "Reused" : "Ensured")
        case "list": list(store.tasks)
        case "ready": list(ready(store.tasks))
        case "close": try end(&store, "closed", "Closed")
        case "fail": try end(&store, "failed", "Failed")
        case "start": try change(&store, "Started") { $0.start() }
        case "reopen": try change(&store, "Reopened") { $0.reopen() }
        default: try show(store)
        }
        return 0
    }

    private var currentLoop: String? {
        let id = TextFile.read(workspace.loopID)?.trimmingCharacters(in: .whitespacesAndNewlines)
        return id?.isEmpty == false ? id : nil
    }

    // MARK: Changing

    private var draft: RuntimeTask {
        var task = RuntimeTask(title: request.subject, priority: request.priority)
        task.key = request.key
        task.loop = currentLoop
        task.description = request.description
        task.blockers = request.blockers
        return task
    }

    private static func ensure(_ task: RuntimeTask, in tasks: inout [RuntimeTask]) -> RuntimeTask {
        guard let index = tasks.firstIndex(where: { $0.key == task.key }) else {
            tasks.append(task)
            return task
        }
        tasks[index].title = task.title
        tasks[index].priority = task.priority
        tasks[index].description = task.description ?? tasks[index].description
        if !task.blockers.isEmpty { tasks[index].blockers = task.blockers }
        return tasks[index]
    }

    private func end(_ store: inout TaskStore, _ status: String, _ verb: String) throws(StandInError) {
        guard let index = store.tasks.firstIndex(where: { $0.id == request.subject }) else { throw missing }
        try store.saveUnseen { $0[index].end(status) }
        Output.line("\(verb) task: \(request.subject) - \(store.tasks[index].title)")
    }

    private func change(
        _ store: inout TaskStore, _ verb: String, _ change: (inout RuntimeTask) -> Void
    ) throws(StandInError) {
        let id = request.subject
        let title: String? = try store.saveFresh { tasks in
            guard let index = tasks.firstIndex(where: { $0.id == id }) else { return nil }
            change(&tasks[index])
            return tasks[index].title
        }
        guard let title else { throw missing }
        Output.line("\(verb) task: \(id) - \(title)")
    }

    private var missing: StandInError { .failure("Task \(request.subject) not found") }

    // MARK: Showing

    private func show(_ task: RuntimeTask, verb: String) {
        switch request.format {
        case .json: Output.line(task.json.compact)
        case .quiet: Output.line(task.id)
        default:
            Output.line("\(verb) task \(task.id)\n  Title: \(task.title)\n  Priority: \(task.priority)")
            if !task.blockers.isEmpty {
                Output.line("  Blocked by: \(task.blockers.joined(separator: ", "))")
            }
        }
    }

    private func show(_ store: TaskStore) throws(StandInError) {
        guard let task = store.tasks.first(where: { $0.id == request.subject }) else { throw missing }
        switch request.format {
        case .json: Output.line(task.json.pretty)
        case .quiet: Output.line(task.id)
        default:
            Output.line("ID:          \(task.id)\nTitle:       \(task.title)")
            if let description = task.description { Output.line("Description: \(description)") }
            Output.line("Status:      \(task.status)\nPriority:    \(task.priority)")
            Output.line("Created:     \(task.created)")
        }
    }

    private func ready(_ tasks: [RuntimeTask]) -> [RuntimeTask] {
        let loop = request.isAll ? nil : currentLoop
        return tasks.filter { $0.isReady(among: tasks) && (loop == nil || $0.loop == loop) }
    }

    private func list(_ tasks: [RuntimeTask]) {
        let tasks = request.action == "list" ? wanted(tasks) : tasks
        switch request.format {
        case .json: Output.line(JSONValue.array(tasks.map(\.json)).pretty)
        case .quiet: tasks.forEach { Output.line($0.id) }
        default:
            guard !tasks.isEmpty else {
                return Output.line(request.action == "ready" ? "No ready tasks" : "No tasks found")
            }
            for task in tasks {
                Output.line("\(task.id)  \(task.status)  \(task.priority)  \(task.title)  \(task.key ?? "-")")
            }
        }
    }

    private func wanted(_ tasks: [RuntimeTask]) -> [RuntimeTask] {
        var tasks = tasks
        if let status = request.status {
            let plain = { (text: String) in text.lowercased().filter { $0 != "_" && $0 != "-" } }
            tasks = tasks.filter { plain($0.status) == plain(status) }
        } else if !request.isAll {
            tasks = tasks.filter { $0.status != "closed" && $0.status != "failed" }
        }
        if let days = request.days {
            // Times that differ in nothing but their fraction compare as texts.
            let limit = Moment(daysAgo: days).offsetText
            tasks = tasks.filter { $0.created > limit || $0.closed ?? "" > limit }
        }
        let rank = { (status: String) in RuntimeTask.states.firstIndex(of: status) ?? 0 }
        tasks.sort {
            (rank($0.status), $0.priority, $0.created) < (rank($1.status), $1.priority, $1.created)
        }
        return request.limit.map { Array(tasks.prefix($0)) } ?? tasks
    }
}
