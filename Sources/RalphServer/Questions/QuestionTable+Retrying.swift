import RalphWire

/// Answers that were promised to be delivered, and could not be for a reason that may pass: a full disk, a session that
/// has too much to do. Nothing of them was written.
extension QuestionTable {
    /// When an answer is tried again.
    struct Retry: Sendable, Equatable {
        /// Not before; milliseconds since 1970.
        let at: Int64
        /// How long after the last try that is, milliseconds.
        let pause: Int64
    }

    /// How long until an answer is tried again, milliseconds: first the lower bound, then double as long each time. Each
    /// try is in its session's queue of commands, where others wait.
    static let retryPause: ClosedRange<Int64> = 1000...30_000

    /// The claimed answer could not be delivered at `now` and stays, to be tried again until its question is closed.
    ///
    /// - Returns: whether it is the first time, and what is to be stored.
    mutating func postpone(_ id: String, at now: Int64) -> (isFirst: Bool, effects: [QuestionEffect]) {
        setInFlight(id, false)
        // Its session may have been removed meanwhile.
        guard questions[id]?.standing == .open else { return (false, []) }
        var effects: [QuestionEffect] = []
        change(id, &effects) { $0.reply?.isUnsent = true }
        let last = retries[id]
        let pause = last.map { min($0.pause * 2, Self.retryPause.upperBound) } ?? Self.retryPause.lowerBound
        retries[id] = Retry(at: now + pause, pause: pause)
        return (last == nil, effects)
    }

    /// The claimed answer is about to be written.
    ///
    /// - Returns: whether it was noted as unsent, so that the question is to be stored before.
    mutating func noteSending(_ id: String) -> Bool {
        var effects: [QuestionEffect] = []
        change(id, &effects) { $0.reply?.isUnsent = nil }
        return !effects.isEmpty
    }

    /// Whether the next try of an answer is still to come.
    func isPostponed(_ id: String, at now: Int64) -> Bool {
        // The clock may have been set back meanwhile.
        retries[id].map { now < $0.at && $0.at - now <= $0.pause } ?? false
    }

    /// Whether nothing of a question's answer was written: what its files say of an answer is somebody else's.
    func isUnsent(_ question: Question) -> Bool {
        guard let reply = question.reply else { return true }
        // One that takes a second way was written on its first.
        return reply.isUnsent == true && reply.deliveredAt == nil
    }

    /// Open questions whose answer is held, and nothing of it was ever written.
    var unwritten: [Question] {
        undelivered.filter { $0.isWaitAhead && $0.reply?.deliveredAt == nil || isUnsent($0) }
    }

    /// Whether the held answer to `question` waits where what the files say may not be known: somebody else's may be
    /// there, and a row is taken for the answer to whatever the run waits for by now. A robot's file names its question.
    func needsFiles(_ question: Question) -> Bool { question.web == nil || retries[question.id] != nil }

    /// Sessions with answers whose next try is due: what their files say goes before it.
    func sessionsToRetry(at now: Int64) -> Set<SessionID> {
        Set(
            retries.keys.filter { !isInFlight($0) && !isPostponed($0, at: now) }.compactMap {
                questions[$0]?.session
            })
    }

    /// When the next try is due, or is to be looked for again if it was and could not be made; `nil`: none is to come.
    func nextRetry(after now: Int64) -> Int64? {
        retries.filter { !isInFlight($0.key) }
            .map { isPostponed($0.key, at: now) ? $0.value.at : now + Self.retryPause.lowerBound }.min()
    }
}
