/// `history.jsonl` (contract 2.8).
struct LoopHistory {
    /// Absolute.
    let path: String

    /// A run or its continuation has begun.
    func started(prompt: String) throws(StandInError) {
        try append([JSONMember("kind", .string("loop_started")), JSONMember("prompt", .string(prompt))])
    }

    /// An interrupted run has an entry of its own kind.
    func ended(_ reason: EndReason) throws(StandInError) {
        if reason == .interrupted {
            try append([
                JSONMember("kind", .string("loop_terminated")), JSONMember("signal", .string("SIGTERM")),
            ])
        } else {
            try append([
                JSONMember("kind", .string("loop_completed")),
                JSONMember("reason", .string(reason.historyName)),
            ])
        }
    }

    /// The loop waits for its merge.
    func mergeQueued() throws(StandInError) { try append([JSONMember("kind", .string("merge_queued"))]) }

    private func append(_ type: [JSONMember]) throws(StandInError) {
        let lock = try LockedFile(waitingFor: path + ".lock")
        defer { lock.hold() }
        let row = JSONValue.object([
            JSONMember("ts", .string(Moment().zuluText)), JSONMember("type", .object(type)),
        ])
        try TextFile.append([row.compact + "\n"], to: path)
    }
}
