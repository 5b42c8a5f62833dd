/// `merge-queue.jsonl`: what becomes of finished worktree loops (contract 5.4).
struct MergeQueue {
    /// One step.
    enum Step {
        case queued(prompt: String)
        case merging(pid: Int32)
        case merged(commit: String)
        case needsReview(reason: String)
        case discarded(reason: String?)
    }

    /// Where a loop stands.
    struct Entry {
        let id: String
        /// The `type` of its last step.
        let state: String
        let prompt: String
    }

    /// Absolute.
    let path: String

    /// Adds a step, under the file's lock.
    func append(_ step: Step, of loop: String) throws(StandInError) {
        let file = try LockedFile(waitingFor: path)
        let row = JSONValue.object([
            JSONMember("ts", .string(Moment().zuluText)), JSONMember("loop_id", .string(loop)),
            JSONMember("event", step.json),
        ])
        file.appendLine(row.compact)
    }

    /// In the order of their queueing. One bad line fails the whole reading.
    func entries() throws(StandInError) -> [Entry] {
        guard let text = TextFile.read(path) else { return [] }
        var order: [String] = []
        var states: [String: String] = [:]
        var prompts: [String: String] = [:]
        for line in text.split(separator: "\n") {
            guard let row = JSONParser.parse(String(line)), let id = row["loop_id"]?.text,
                let type = row["event"]?["type"]?.text
            else { throw .failure("Failed to parse merge queue entry: \(line)") }
            if states[id] == nil { order.append(id) }
            states[id] = type
            prompts[id] = row["event"]?["prompt"]?.text ?? prompts[id]
        }
        return order.map { Entry(id: $0, state: states[$0] ?? "", prompt: prompts[$0] ?? "") }
    }
}

extension MergeQueue.Step {
    fileprivate var json: JSONValue {
        let (type, member): (String, JSONMember) =
            switch self {
            case .queued(let prompt): ("queued", JSONMember("prompt", .string(prompt)))
            case .merging(let pid): ("merging", JSONMember("pid", .integer(pid)))
            case .merged(let commit): ("merged", JSONMember("commit", .string(commit)))
            case .needsReview(let reason): ("needs_review", JSONMember("reason", .string(reason)))
            case .discarded(let reason): ("discarded", JSONMember("reason", .optional(reason)))
            }
        return .object([JSONMember("type", .string(type)), member])
    }
}
