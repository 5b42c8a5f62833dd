import RalphWire

/// Which hat works, and what the next iteration will be (contract 2.6).
extension SessionNarrator {
    /// Ralph's default completion topic (contract 7.1).
    private static let defaultPromise = "LOOP_COMPLETE"

    private func isPromise(_ topic: JSONSlice, _ base: UnsafePointer<UInt8>) -> Bool {
        topic.equals(workspace?.completionPromise ?? Self.defaultPromise, base)
    }

    private func isCancellation(_ topic: JSONSlice, _ base: UnsafePointer<UInt8>) -> Bool {
        workspace?.cancellationPromise.map { topic.equals($0, base) } == true
    }

    /// Ralph ends a run when the last event of an iteration is the completion topic and is believed, and at the
    /// cancellation topic (contract 2.5).
    mutating func noteEndRequest(_ topic: JSONSlice, _ base: UnsafePointer<UInt8>) {
        if isCancellation(topic, base), state.memory.isCancelled != true {
            state.memory.isCancelled = true
            state.revision += 1
        }
        let stands = state.memory.heldStart > 0 && state.memory.wave?.isPromised == true
        let isAsked = stands || isPromise(topic, base)
        guard isAsked != state.memory.endIsAsked else { return }
        state.memory.endIsAsked = isAsked
        state.revision += 1
    }

    /// The hat for the next iteration (contract 2.6): with hats configured, the first one in their order that
    /// the foremost event since the summary triggers, entry topics last; else what rows say. Foremost is the
    /// first event in the first hat's queue.
    ///
    /// - Parameters:
    ///   - published: what Ralph's hats hear in the place of the row's topic.
    ///   - isAccepted: whether the row is an event of its iteration.
    mutating func noteTrigger(
        _ line: EngineLine, _ base: UnsafePointer<UInt8>, published: String?, isAccepted: Bool,
        into batch: inout EventBatch
    ) {
        noteEvent(isAccepted: isAccepted)
        if isAccepted, line.topic.begins(with: "human.", base), state.memory.hasHumanEvent != true {
            state.memory.hasHumanEvent = true
            state.revision += 1
        }
        noteOwnHat(line, base, into: &batch)
        if let workspace, !workspace.hats.isEmpty {
            // A promise is not published.
            guard published != nil || !isPromise(line.topic, base) && !isCancellation(line.topic, base),
                line.topic.isString,
                let topic = line.topic.string(base, limit: 1024)
            else { return }
            noteTopic(published ?? topic, workspace)
        } else if published == nil, !line.topic.begins(with: "human.", base), line.triggered.count > 0,
            !line.triggered.equals(state.memory.nextHat, base)
        {
            let hat = (line.triggered.string(base, limit: 1024) ?? "").lowercased()
            expectHat(hat, line.topic.string(base, limit: 1024) ?? "", isEntry: false, queue: nil)
        }
    }

    /// The hat for the first iteration. A run that is continued hears of that, whatever its row says (contract 2.6), besides
    /// what came behind the end of the one before (4.5); and which hat a start row says it activates is always the same.
    mutating func noteStart(_ line: EngineLine, _ base: UnsafePointer<UInt8>, isContinued: Bool) {
        noteEvent(isAccepted: true)
        guard let workspace,
            let topic = isContinued ? WorkspaceConfig.resumption : line.topic.string(base, limit: 1024)
        else { return }
        noteTopic(topic, workspace)
    }

    /// What Ralph tells itself behind a summary, and no file: that a promise is not believed, unless it is, and what the hat
    /// publishes that has published nothing (contract 2.5).
    mutating func noteSelfTalk() {
        guard let workspace else { return }
        if (state.memory.hasAccepted ?? state.memory.hasEvent) == false, !state.memory.endIsAsked,
            state.memory.wave == nil,
            let hat = workingHats(workspace).first(where: { $0.defaultPublishes != nil }),
            let topic = hat.defaultPublishes
        {
            noteEvent(isAccepted: false)
            guard topic == workspace.completionPromise else { return noteTopic(topic, workspace) }
            // No run is completed by silence: the hat itself is called on once more.
            return noteCall(hat.id, by: WorkspaceConfig.resumption, isEntry: true, queue: hat.key)
        }
        if state.memory.endIsAsked { noteTopic(WorkspaceConfig.resumption, workspace) }
    }

    /// The hats that the last iteration was called for, in Ralph's order; none: Ralph itself works.
    private func workingHats(_ workspace: WorkspaceConfig) -> [WorkspaceConfig.Hat] {
        let ids = workingIDs
        return workspace.hats.filter { ids.contains($0.id) }
    }

    private var workingIDs: Set<String> { Set(state.memory.workingHats ?? [state.hat]) }

    /// What Ralph puts in the place of an event that the hats at work may not publish; `nil`: they may
    /// (contract 2.5).
    func scopeViolation(_ line: EngineLine, _ base: UnsafePointer<UInt8>) -> String? {
        guard workspace?.enforcesHatScope == true, let topic = line.topic.string(base, limit: 1024) else {
            return nil
        }
        return scopeViolation(topic)
    }

    private func scopeViolation(_ topic: String) -> String? {
        guard let workspace, workspace.enforcesHatScope else { return nil }
        let ids = workingIDs
        guard let first = workspace.hats.first(where: { ids.contains($0.id) }) else { return nil }
        // Output can be read ahead of the rows: the hat that it tells of may be the next one's, and may be this one's.
        let told = state.hasAgentIterations ? state.hat : nil
        let isAllowed = workspace.publishers(of: topic).contains { ids.contains($0.id) || $0.id == told }
        return isAllowed ? nil : first.key + ".scope_violation"
    }

    /// The hats that were called for are at work now, and nothing has been said yet but what people wrote meanwhile.
    mutating func takeCalls() {
        let rows = state.memory.laterRows ?? []
        state.memory.takeCalls()
        state.memory.endIsAsked = false
        state.memory.isCancelled = nil
        for row in rows { noteLaterRow(row) }
    }

    /// Whether a row that a person wrote behind a summary is read behind the next one: Ralph looks into its file again only
    /// where nothing waits, five times in 250 ms (contract 2.4).
    func isReadLater(_ line: EngineLine) -> Bool {
        guard state.memory.heldStart > 0, !isReadWithWave(line) else { return false }
        let waited = line.fields.timestamp - state.memory.heldStartAt - cooldown
        return state.memory.hasEvent == true || waited > 250
    }

    /// Keeps a row for the next iteration.
    mutating func readLater(_ line: EngineLine, _ base: UnsafePointer<UInt8>, published: String?) {
        let rows = state.memory.laterRows ?? []
        guard rows.count < 64, let topic = line.topic.string(base, limit: 1024) else { return }
        state.memory.laterRows = rows + [NarratorMemory.LaterRow(topic: topic, published: published)]
        state.revision += 1
    }

    private mutating func noteLaterRow(_ row: NarratorMemory.LaterRow) {
        let violation = scopeViolation(row.topic)
        noteEvent(isAccepted: violation == nil)
        let isPromise = row.topic == workspace?.completionPromise ?? Self.defaultPromise
        let isCancellation = row.topic == workspace?.cancellationPromise
        if violation == nil {
            if row.topic.hasPrefix("human.") { state.memory.hasHumanEvent = true }
            state.memory.endIsAsked = isPromise
            if isCancellation { state.memory.isCancelled = true }
        }
        let published = violation ?? row.published
        guard let workspace, published != nil || !isPromise && !isCancellation else { return }
        noteTopic(published ?? row.topic, workspace)
    }

    /// What Ralph tells itself where nothing else waits for it.
    mutating func noteFallback() {
        // A promise among the results of a wave is not believed either, where the run goes on.
        let isDoubted = state.memory.endIsAsked && state.memory.wave != nil
        guard let workspace, state.memory.hasEvent == false || isDoubted else { return }
        noteTopic(WorkspaceConfig.resumption, workspace)
    }

    private mutating func noteEvent(isAccepted: Bool) {
        let isNew = state.memory.hasEvent != true || isAccepted && state.memory.hasAccepted != true
        guard isNew else { return }
        state.memory.hasEvent = true
        if isAccepted { state.memory.hasAccepted = true }
        state.revision += 1
    }

    /// What people say calls for no hat: it waits in a queue of its own (contract 2.9).
    private mutating func noteTopic(_ topic: String, _ workspace: WorkspaceConfig) {
        guard !topic.hasPrefix("human.") else { return }
        let takers = workspace.takers(of: topic)
        guard let hat = takers.hat else { return }
        noteCall(hat.id, by: topic, isEntry: workspace.isEntry(topic), queue: takers.queue)
    }

    private mutating func noteCall(_ hat: String, by topic: String, isEntry: Bool, queue: String) {
        if state.memory.note(hat, isEntry: isEntry) { state.revision += 1 }
        guard isForemost(queue, isEntry: isEntry) else { return }
        expectHat(hat, topic, isEntry: isEntry, queue: queue)
    }

    /// Whether an event comes before the one that calls for the next hat so far.
    private func isForemost(_ queue: String, isEntry: Bool) -> Bool {
        if state.memory.nextHat.isEmpty { return true }
        if isEntry != state.memory.nextIsEntry { return !isEntry }
        return state.memory.nextQueue.map { WorkspaceConfig.precedes(queue, $0) } ?? false
    }

    private mutating func expectHat(_ hat: String, _ topic: String, isEntry: Bool, queue: String?) {
        guard
            hat != state.memory.nextHat || isEntry != state.memory.nextIsEntry
                || queue != state.memory.nextQueue
        else { return }
        state.memory.nextHat = hat
        state.memory.nextTrigger = topic
        state.memory.nextIsEntry = isEntry
        state.memory.nextQueue = queue
        state.revision += 1
    }

    // MARK: Rows that name their hat

    /// The hat, in lower case, that a row names (http-contract 15.3); `nil`: it names none or the orchestrator's, as all of
    /// Ralph's do (contract 2.2), or the configuration has no such hat.
    func namedHat(_ hat: JSONSlice, _ base: UnsafePointer<UInt8>) -> String? {
        guard hat.count > 0, !hat.spells("loop", base), !hat.spells("ralph", base),
            let own = hat.string(base, limit: 1024)?.lowercased()
        else { return nil }
        let hats = workspace?.hats ?? []
        return hats.isEmpty || hats.contains { $0.id == own } ? own : nil
    }

    /// The hat that a row says is at work; `nil`: see ``namedHat(_:_:)``, or the run's output tells.
    private func ownHat(_ hat: JSONSlice, _ base: UnsafePointer<UInt8>) -> String? {
        state.hasAgentIterations ? nil : namedHat(hat, base)
    }

    /// A row begins an iteration: its own hat is told there, whatever was called for. What Ralph believes and lets pass goes
    /// by that all the same (contract 2.4).
    mutating func expectOwnHat(_ hat: JSONSlice, _ base: UnsafePointer<UInt8>) {
        // What called for it is still what did.
        guard let own = ownHat(hat, base), own != state.memory.nextHat else { return }
        expectHat(own, "", isEntry: false, queue: nil)
    }

    /// A row's own hat is the one at work in its iteration, unless that is over.
    private mutating func noteOwnHat(
        _ line: EngineLine, _ base: UnsafePointer<UInt8>, into batch: inout EventBatch
    ) {
        guard state.runEndedAt == nil, line.iteration < 0 || line.iteration >= state.iteration,
            let own = ownHat(line.hat, base)
        else { return }
        let run = state.runs
        // An iteration that began without a word on its hat does not change it.
        if state.hat.isEmpty,
            let before = state.iterations.last(where: { $0.run == run && !$0.hat.isEmpty })
        {
            state.hat = before.hat
            state.revision += 1
        }
        moveHat(to: own, because: nil, at: line.fields.timestamp, into: &batch)
        let number = state.iteration
        guard let index = state.iterations.index(of: number, run: run),
            state.iterations[index].hat != own
        else { return }
        state.iterations[index].hat = own
        state.revision += 1
    }

    /// The hat of the iteration at work, also where the output is to tell of it and was not read so far.
    var hatAtWork: String {
        guard state.memory.untoldHat == state.iteration, state.iteration > state.memory.agentIteration else {
            return state.hat
        }
        return recordedIteration(state.iteration).flatMap { $0.hat.isEmpty ? nil : $0.hat } ?? state.hat
    }

    /// The hat of iteration `number`, also where rows are read ahead of the output, or behind it.
    func hat(ofIteration number: Int) -> String {
        guard number != state.iteration, let record = recordedIteration(number), !record.hat.isEmpty else {
            return hatAtWork
        }
        return record.hat
    }
}
