import Foundation
import RalphSessions
import RalphWire

/// Words for the run.
extension SessionController {
    /// How long a run that took its lock may take to its start row, hooks of its owner included; afterwards it counts as
    /// begun, whatever its rows say.
    private static let youngMilliseconds: Int64 = 60_000
    /// How long after its start row a run may take to note from where it reads: what stands there by then it never sees
    /// (contract 2.4).
    private static let placeMilliseconds: Int64 = 250
    /// How long a message waits for both.
    private static let startGrace = Duration.seconds(5)

    /// Topics that the server itself acts upon, whatever Ralph makes of them.
    private static let requests: Set = ["user.pause", "user.abort"]

    /// Guidance for the agent's next prompt: one `human.guidance` row (contract 4.6).
    ///
    /// It is queued until the iteration in progress ends; a run that ended by a pause gets it when it goes on.
    /// - Parameters:
    ///   - urgent: also shown to the agent by its next `ralph emit`, within the iteration.
    ///   - marker: `cmd_` and 16 hexadecimal digits, the row's `id`.
    @discardableResult
    package nonisolated func steer(
        _ text: String, urgent: Bool, by requester: Requester, marker: String
    ) async throws(ControlError) -> SteerOutcome {
        try await inTurn(.message, by: requester) {
            (controller: isolated SessionController) async throws(ControlError) -> SteerOutcome in
            try await controller.steerInTurn(text, urgent, requester, marker)
        }
    }

    private func steerInTurn(
        _ text: String, _ urgent: Bool, _ requester: Requester, _ marker: String
    ) async throws(ControlError) -> SteerOutcome {
        let run = try await requireReader(by: requester)
        let isCertain = try requireScope("human.guidance", run)
        let isOver = isPausedByEnd(run)
        if isOver { try sayAgain(to: run) }
        let text = numbered("human.guidance", text, run)
        try append("human.guidance", EventRow.string(text), marker, to: run)
        // A run that has ended clears the file at its start, and has the row.
        let isShown = urgent && !isOver && looksHere(run) && showAtOnce(text)
        return SteerOutcome(isShownAtOnce: isShown, isScopeCertain: isCertain)
    }

    /// Whether the agent's `ralph emit` looks into this session's directory: that of a loop in a worktree does not where Ralph
    /// gives it no terminal, as it works in the main workspace then (contract 5.1).
    private func looksHere(_ run: RunRecord) -> Bool {
        let isHeadless =
            run.plan.map { $0.mode != .rpc } ?? run.commandLine.map { LaunchPlan.isHeadless($0) } ?? false
        return !isHeadless || facts().mayWait
    }

    /// Adds `text` to what the agent's next `ralph emit` shows; whether that could be done.
    private func showAtOnce(_ text: String) -> Bool {
        do throws(ControlError) {
            try files.addUrgent(text, at: WallClock.milliseconds())
            return true
        } catch {
            warn("an urgent text waits for the next prompt", error)
            return false
        }
    }

    /// Appends an event of a person's own.
    ///
    /// - Parameters:
    ///   - payload: a JSON value's text; `nil`: none. Words (`user.…`, `human.guidance`) that come again get a
    ///     number at their end; data that would come a third time in a row is refused, see ``RepeatedText``.
    ///   - force: appends also what would end or corrupt the run, or may be dropped.
    /// - Returns: whether it is certain that no hat keeps it from the run (contract 2.5), or nobody asked.
    @discardableResult
    package nonisolated func emit(
        topic: String, payload: String?, force: Bool, by requester: Requester, marker: String
    ) async throws(ControlError) -> Bool {
        try await inTurn(.message, by: requester) {
            (controller: isolated SessionController) async throws(ControlError) -> Bool in
            try await controller.emitInTurn(topic, payload, force, requester, marker)
        }
    }

    private func emitInTurn(
        _ topic: String, _ payload: String?, _ force: Bool, _ requester: Requester, _ marker: String
    ) async throws(ControlError) -> Bool {
        guard let value = JSONValueText(payload ?? "null") else {
            throw .topicRefused(topic: topic, reason: "its payload is nothing that Ralph could read")
        }
        let run = try await requireReader(by: requester)
        if !force, let reason = rules(run).refusal(of: topic, payload: value.payload) {
            throw .topicRefused(topic: topic, reason: reason + " (force appends it all the same)")
        }
        let isAsked = !force && !Self.requests.contains(topic)
        let isCertain = try isAsked ? requireScope(topic, run) : true
        if isPausedByEnd(run) { try sayAgain(to: run) }
        try append(topic, distinct(topic, value, force, run), marker, to: run)
        return isCertain
    }

    /// The record of a run that reads what is appended, see ``requireRun()``. One that has just begun does not, as long as
    /// hooks of its owner keep its start row back: it reads from behind that (contract 2.4).
    ///
    /// - Throws: ``ControlError/starting`` where it does not after a while, ``ControlError/superseded``,
    ///   ``ControlError/revoked``.
    private func requireReader(by requester: Requester) async throws(ControlError) -> RunRecord {
        let run = try await requireRun()
        var isReading = isReading(run)
        // It may have been killed meanwhile.
        guard isReading != true else { return try await requireRun() }
        _ = await wait(Self.startGrace) {
            isReading = self.isReading(run)
            return isReading == true || stops.isUp
        }
        try requester.requireRight()
        guard isReading == false else { return try await requireRun() }
        throw stops.isUp ? .superseded : .starting
    }

    /// Whether the run reads what is appended from now on; `nil`: its lock does not tell since when it runs, or not yet.
    private func isReading(_ run: RunRecord) -> Bool? {
        let facts = facts()
        guard facts.isAlive else { return true }
        guard let started = facts.started, !facts.isLockOfAnother else { return nil }
        let isYoung = abs(WallClock.milliseconds() - started) < Self.youngMilliseconds
        guard isYoung || run.phase == .suspended else { return true }
        // What an old run wrote since may be more than is looked through.
        guard let start = events.lastStart() else { return !isYoung }
        return start >= started && !(0..<Self.placeMilliseconds).contains(WallClock.milliseconds() - start)
    }

    /// Appends a row for `run`, which must not have ended a moment before: the row stays then, and the next run that
    /// continues it reads it.
    func append(
        _ topic: String, _ payload: [UInt8], _ marker: String, to run: RunRecord
    ) throws(ControlError) {
        let row = EventRow.user(marker: marker, topic: topic, payload: payload, at: WallClock.milliseconds())
        // A longer line would be skipped when it is read.
        let limit = TailLimits().maximumLineBytes
        guard row.count <= limit else { throw .rowTooLarge(bytes: row.count, limit: limit) }
        try events.append(row)
        // One that is paused by its end is continued, and reads it then.
        guard run.phase != .halted else { return }
        let facts = facts()
        // The registry of loops no longer tells of one that is over.
        let started = facts.started ?? (facts.isAlive ? nil : run.startedAt)
        if let started, let reason = events.endReason(since: started, before: marker) {
            if run.phase == .pausing, RunState.isPause(reason, hasGate: run.waitsInProcess) { return }
            throw .notRunning(status: endedStatus(reason))
        }
        // It was killed, and told nobody.
        if !facts.isAlive, facts.observation.endReason == nil { throw .notRunning(status: endedStatus(nil)) }
    }

    /// Whether `run` has ended by its pause, also while its process is not gone yet.
    func isPausedByEnd(_ run: RunRecord) -> Bool {
        if run.phase == .halted { return true }
        guard run.phase == .pausing else { return false }
        return RunState.isPause(endedReason(facts()), hasGate: run.waitsInProcess)
    }

    /// Says to a run that is to be continued what it left unread when it ended, before anything else is said to it. An answer
    /// that it waited for it has.
    ///
    /// Rows that stood apart may come together now: words get their numbers, and a third equal piece of data is left, as
    /// Ralph would end the run for it.
    func sayAgain(to run: RunRecord) throws(ControlError) {
        // Behind a forced `loop.terminate` Ralph would look for what is new.
        let left = Self.requests.union(["loop.terminate"])
        for row in try events.unreadWords(ofOneThatWaits: waitsForRow(run)) where !left.contains(row.topic) {
            guard let marker = row.id else { continue }
            guard let payload = payloadAgain(row, run) else {
                let reason = "it would be the third equal event in a row"
                warn(
                    "an event is not said again", ControlError.topicRefused(topic: row.topic, reason: reason))
                continue
            }
            let now = WallClock.milliseconds()
            try events.append(EventRow.user(marker: marker, topic: row.topic, payload: payload, at: now))
        }
    }

    /// The payload with which `row` is said again; `nil`: that would end the run.
    private func payloadAgain(_ row: EventRow, _ run: RunRecord) -> [UInt8]? {
        let payload = Array((row.payloadJSON ?? "null").utf8)
        if RepeatedText.exempt.contains(row.topic) { return payload }
        if RepeatedText.isWords(row.topic), payload.first == UInt8(ascii: "\"") || row.payload == nil {
            let text = row.payload ?? ""
            let said = numbered(row.topic, text, run)
            return said == text ? payload : EventRow.string(said)
        }
        let count = repeats(of: row.topic, run) { $0 == row.payload }
        return count + 1 < RepeatedText.fatalCount ? payload : nil
    }

    /// `text` as the words of `topic` that they are behind equal ones.
    private func numbered(_ topic: String, _ text: String, _ run: RunRecord) -> String {
        RepeatedText.numbered(text, after: repeats(of: topic, run) { RepeatedText.isRepeat($0, of: text) })
    }

    /// An answer as it can stand behind equal ones: as it is as long as it does not end the run, since an agent may want it to
    /// be just that.
    func answerText(_ text: String, _ run: RunRecord) -> String {
        let count = repeats(of: "human.response", run) { RepeatedText.isRepeat($0, of: text) }
        return count + 1 < RepeatedText.fatalCount ? text : RepeatedText.numbered(text, after: count)
    }

    private func repeats(of topic: String, _ run: RunRecord, _ isEqual: (String?) -> Bool) -> Int {
        let rules = rules(run)
        return events.repeats(
            of: topic, uncounted: rules.promises.union(rules.cancellations),
            isEqual)
    }

    /// Refuses what a hat at work may keep from the run: which one it is when Ralph reads the row, nobody can say before. A
    /// run that is continued reads what waits for it before any hat is at work (contract 4.5).
    ///
    /// - Returns: `false` where it is not certain what the run began with, so that nobody can say.
    func requireScope(_ topic: String, _ run: RunRecord) throws(ControlError) -> Bool {
        guard run.phase != .halted else { return true }
        // What a run was started with that runs where we cannot see it, nobody here knows.
        guard run.plan != nil || run.commandLine != nil || run.output != nil,
            let start = facts().started ?? run.startedAt,
            let config = WorkspaceConfig.certain(
                layers(of: run), isGiven: run.isConfigurationGiven, user: userConfiguration, since: start)
        else { return false }
        guard !config.dropsSometimes(topic) else { throw .outsideHatScope(topic: topic) }
        return true
    }

    /// Whether a run that asks looks itself for the row that answers (contract 6.5).
    func waitsForRow(_ run: RunRecord) -> Bool {
        guard facts().mayWait, let config = configuration(of: run) else { return false }
        return config.isRobotEnabled && !config.isRobotOnWeb
    }

    /// What `run` goes by.
    func configuration(of run: RunRecord) -> WorkspaceConfig? {
        WorkspaceConfig.load(layers(of: run), user: userConfiguration)
    }

    private func layers(of run: RunRecord) -> ConfigurationLayers {
        run.configuration ?? ConfigurationLayers(files: session.configurationFiles)
    }

    private var userConfiguration: String? { SessionDirectory.userConfiguration(settings.environment) }

    private func rules(_ run: RunRecord) -> TopicRules {
        TopicRules(
            run.startedWith, given: run.madeConfiguration ?? run.configuration?.files.first,
            workspace: session.directory.workspace, user: userConfiguration)
    }

    /// The payload to append so that the run does not end for a repeat (contract 2.5).
    private func distinct(
        _ topic: String, _ value: JSONValueText, _ force: Bool, _ run: RunRecord
    ) throws(ControlError) -> [UInt8] {
        if RepeatedText.exempt.contains(topic) { return value.bytes }
        if RepeatedText.isWords(topic), value.string != nil || value.payload == nil {
            let text = value.string ?? ""
            let said = numbered(topic, text, run)
            return said == text ? value.bytes : EventRow.string(said)
        }
        let count = repeats(of: topic, run) { $0 == value.payload }
        guard force || count + 1 < RepeatedText.fatalCount else {
            throw .topicRefused(
                topic: topic,
                reason: "it would be the third equal event in a row and end the run (loop_stale)")
        }
        return value.bytes
    }
}
