import RalphWire

/// What time does to questions.
extension QuestionTable {
    /// The shares of the time, in percent, at which a reminder is given.
    static let reminders = [50, 90]
    /// How often the files of a run are looked at that waits past its time, milliseconds.
    static let dueLook: Int64 = 500

    /// Gives the reminders that are due at `now`, milliseconds since 1970, and closes what nobody answered.
    ///
    /// Of several that are due at once, after a sleep of the server, only the last is given.
    ///
    /// - Parameter silent: sessions of which time takes nothing, since their files are not known.
    mutating func advance(now: Int64, besides silent: Set<SessionID> = []) -> [QuestionEffect] {
        var effects: [QuestionEffect] = []
        for question in unanswered where isRunning(question) && !silent.contains(question.session) {
            guard let timeoutAt = question.timeoutAt else { continue }
            if timeoutAt <= now {
                if question.isBlocking {
                    lookSoon(question.session, now: now)
                } else {
                    close(question.id, as: .expired, &effects)
                }
                continue
            }
            let due = Self.reminders.last { Self.moment($0, question, timeoutAt) <= now }
            guard let due, due > question.reminded else { continue }
            change(question.id, &effects) { $0.reminded = due }
            effects.append(.tell(question.session, .reminder(question, percent: due, now: now)))
        }
        for question in deliverable where !question.hasTime(at: now) && !silent.contains(question.session) {
            close(question.id, as: .expired, &effects)
        }
        return effects
    }

    /// Whether time runs for an unanswered question.
    private func isRunning(_ question: Question) -> Bool { !isInFlight(question.id) && !question.isWaitAhead }

    /// Plans a look within `pause` milliseconds: the run waits past its time by this clock, and whether it still does is
    /// looked for until it does not, or its files were not known.
    mutating func lookSoon(_ session: SessionID, now: Int64, pause: Int64 = dueLook) {
        guard !(looks[session] ?? []).contains(where: { $0 <= now + pause }) else { return }
        scheduleLooks(session, at: [now + pause])
    }

    /// The next moment after `now` at which ``advance(now:besides:)`` or a look has something to do; `nil`: none.
    func nextMoment(after now: Int64, besides silent: Set<SessionID> = []) -> Int64? {
        var next = nextRetry(after: now)
        for times in looks.values { if let first = times.first { next = min(next ?? .max, first) } }
        for end in ends.values { next = min(next ?? .max, end) }
        for question in unanswered where isRunning(question) && !silent.contains(question.session) {
            // One that the run waits for past its time has its looks.
            guard let timeoutAt = question.timeoutAt, !question.isBlocking || timeoutAt > now else {
                continue
            }
            let reminder = Self.reminders.first { $0 > question.reminded }
            next = min(next ?? .max, reminder.map { Self.moment($0, question, timeoutAt) } ?? timeoutAt)
        }
        for question in deliverable where !question.isBlocking && !silent.contains(question.session) {
            if let timeoutAt = question.timeoutAt { next = min(next ?? .max, timeoutAt) }
        }
        return next
    }

    private static func moment(_ percent: Int, _ question: Question, _ timeoutAt: Int64) -> Int64 {
        question.askedAt + (timeoutAt - question.askedAt) / 100 * Int64(percent)
    }
}
