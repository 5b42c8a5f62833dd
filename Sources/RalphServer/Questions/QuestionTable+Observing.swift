import RalphSessions
import RalphWire

/// What a session's files say: questions come, are answered on other ways, or are over.
extension QuestionTable {
    /// How long a question of the web robot's file waits for its row to be read before it counts on its own,
    /// milliseconds.
    static let rowGrace: Int64 = 1000
    /// When a session is looked at again after a question came: Ralph says a little later on which channel it
    /// waits, milliseconds.
    static let laterLooks: [Int64] = [250, 1000, 3000]
    /// How long after an iteration's end Ralph may take to say that it waits, milliseconds.
    static let waitGrace: Int64 = 3000
    /// http-contract 9, milliseconds.
    static let defaultTimeout: Int64 = 300_000

    /// Takes in what the files of `session` say at `now`, milliseconds since 1970.
    mutating func observe(_ session: SessionID, _ facts: QuestionFacts, now: Int64) -> [QuestionEffect] {
        guard hasOpen(session) || !facts.rows.isEmpty || facts.web != nil else { return [] }
        var effects: [QuestionEffect] = []
        let isRowLeft = addRows(session, facts, now: now, &effects)
        noteWeb(session, facts, now: now, &effects)
        noteAnswers(session, facts, now: now, &effects)
        // There may be room now.
        if isRowLeft { _ = addRows(session, facts, now: now, &effects) }
        noteEnds(session, facts, now: now, &effects)
        noteBlocking(session, facts, &effects)
        noteExpected(session, facts, now: now, &effects)
        return effects
    }

    /// Nothing is known of `session`, so that nobody waits: time takes its questions, or the end of a session that was
    /// removed.
    mutating func noteUnknown(_ session: SessionID, isRemoved: Bool) -> [QuestionEffect] {
        var effects: [QuestionEffect] = []
        for question in openQuestions(of: session) {
            if isRemoved {
                close(question.id, as: .ended, &effects)
                continue
            }
            change(question.id, &effects) {
                $0.isBlocking = false
                $0.expectedUntil = nil
            }
        }
        return effects
    }

    // MARK: Rows

    /// Takes up new rows; gives whether there was no room for one.
    private mutating func addRows(
        _ session: SessionID, _ facts: QuestionFacts, now: Int64, _ effects: inout [QuestionEffect]
    ) -> Bool {
        var isLeft = false
        for row in facts.rows {
            guard let place = row.place else { continue }
            let key = Question.key(of: place)
            let id = Question.id(session: session, row: key)
            guard questions[id] == nil, !openQuestions(of: session).contains(where: { $0.row == key }) else {
                continue
            }
            if let known = withoutRow(session, like: row) {
                change(known.id, &effects) {
                    $0.row = key; $0.marker = place.answerMarker
                }
                continue
            }
            var question = Question(
                id: id, session: session, text: row.text, askedAt: row.askedAt,
                iteration: max(0, row.iteration),
                hat: row.hat, row: key)
            question.options = row.options ?? []
            question.marker = place.answerMarker
            question.timeoutAt = Self.timeout(from: row.askedAt, facts.timeoutSeconds)
            expectWait(&question, row, facts)
            guard !facts.isOver, !isOver(question, row, facts), !question.isDue(at: now) else { continue }
            guard openQuestions(of: session).count < Self.maximumOpen else {
                isLeft = true
                continue
            }
            add(question, &effects)
            scheduleLooks(session, at: Self.laterLooks.map { now + $0 })
        }
        return isLeft
    }

    /// Ralph waits for the first question of an iteration, from the iteration's end on (contract 6.5).
    private func expectWait(_ question: inout Question, _ row: PendingQuestion, _ facts: QuestionFacts) {
        guard facts.doesWait, !row.isOvertaken,
            !openQuestions(of: question.session).contains(where: { $0.iteration == question.iteration })
        else { return }
        question.expectedUntil = .max
        question.takesFile = facts.waitsOnFile
    }

    /// A question of the web robot's file whose row this is.
    private func withoutRow(_ session: SessionID, like row: PendingQuestion) -> Question? {
        openQuestions(of: session).first {
            $0.row == nil && ($0.text == row.text || $0.iteration == row.iteration)
                && row.askedAt <= $0.askedAt + Self.rowGrace
        }
    }

    static func timeout(from time: Int64, _ seconds: Int64?) -> Int64? {
        // An agent can write anything there.
        guard let seconds, seconds >= 0 else { return time + defaultTimeout }
        return seconds == 0 ? nil : time + min(seconds, 100 * 365 * 86_400) * 1000
    }

    // MARK: The web robot's file

    private mutating func noteWeb(
        _ session: SessionID, _ facts: QuestionFacts, now: Int64, _ effects: inout [QuestionEffect]
    ) {
        guard let web = facts.web else { return }
        let id = Question.id(session: session, web: web.place)
        guard questions[id] == nil, !questions.values.contains(where: { $0.web == web.place }),
            !reopen(session, facts, for: web)
        else { return }
        let askedAt = web.askedAt ?? now
        let timeoutAt =
            web.timeoutSeconds == nil
            ? Self.timeout(from: askedAt, facts.timeoutSeconds)
            : Self.timeout(from: askedAt, web.timeoutSeconds)
        if let row = row(of: web, session, askedAt) {
            change(row.id, &effects) { question in
                question.web = web.place
                question.timeoutAt = timeoutAt
                if question.options.isEmpty { question.options = web.options }
                if question.hat == nil { question.hat = web.hat }
            }
            return
        }
        // A killed run leaves its file behind.
        guard (timeoutAt ?? .max) > now, facts.isLive, askedAt >= facts.runStartedAt ?? .min else { return }
        guard now >= askedAt + Self.rowGrace else {
            scheduleLooks(session, at: [askedAt + Self.rowGrace])
            return
        }
        guard openQuestions(of: session).count < Self.maximumOpen else { return }
        var question = Question(
            id: id, session: session, text: web.text, askedAt: askedAt, iteration: web.iteration, hat: web.hat
        )
        question.options = web.options
        question.timeoutAt = timeoutAt
        question.web = web.place
        add(question, &effects)
    }

    /// Answers again what was answered as a row before the run said that it waits for a file.
    private mutating func reopen(_ session: SessionID, _ facts: QuestionFacts, for web: WebQuestion) -> Bool {
        let answered = questions.values.filter {
            $0.session == session && $0.standing == .answered && $0.web == nil && $0.reply?.channel == "api"
                && $0.iteration == web.iteration && $0.text == web.text
                && $0.askedAt <= web.askedAt ?? .max
        }.min(by: Self.isOlder)
        guard let answered else { return false }
        // Of two with one text the run waits for the first, if nobody has answered it.
        let waiting = Set(facts.rows.compactMap { $0.place.map(Question.key) })
        let isFirst = !openQuestions(of: session).contains {
            $0.web == nil && $0.iteration == web.iteration && $0.text == web.text && !isInFlight($0.id)
                && $0.row.map(waiting.contains) == true && Self.isOlder($0, answered)
        }
        guard isFirst else { return false }
        reopen(answered.id, as: web.place)
        return true
    }

    /// The row's question that the file tells of: that of the same text, else the oldest of its iteration. Of two with one
    /// text in an iteration it is the first (contract 6.5).
    private func row(of web: WebQuestion, _ session: SessionID, _ askedAt: Int64) -> Question? {
        let candidates = openQuestions(of: session).filter {
            $0.web == nil && $0.row != nil && $0.askedAt <= askedAt + Self.rowGrace
        }
        return candidates.first { $0.text == web.text && $0.iteration == web.iteration }
            ?? candidates.last { $0.text == web.text }
            ?? candidates.first { $0.iteration == web.iteration }
    }

    // MARK: Answers and ends

    /// A question whose row no longer waits was answered: by us before a crash, or by somebody else.
    private mutating func noteAnswers(
        _ session: SessionID, _ facts: QuestionFacts, now: Int64, _ effects: inout [QuestionEffect]
    ) {
        let waiting = Set(facts.rows.compactMap { $0.place.map(Question.key) })
        for question in openQuestions(of: session) where !isInFlight(question.id) {
            guard isGone(question, facts, waiting) else { continue }
            if let web = question.web, facts.isLive, facts.web?.place == web {
                // It waits for its file, whatever a row says (contract 6.5), until that is gone.
                change(question.id, &effects) { $0.isRowPast = true }
                scheduleLooks(session, at: [now + Self.rowGrace])
                continue
            }
            if question.row == nil || question.isRowPast == true, isUnsent(question), question.isDue(at: now)
            {
                close(question.id, as: .expired, &effects)
            } else if !isUnsent(question), !question.isWaitAhead {
                change(question.id, &effects) {
                    $0.standing = .answered; $0.reply?.deliveredAt = now
                }
                if question.reply?.deliveredAt == nil {
                    effects.append(.tell(session, .answered(question, channel: "api")))
                }
            } else if question.row != nil && facts.areRowsFull {
                close(question.id, as: .overtaken, &effects)
            } else {
                let channel = question.channel.rawValue
                change(question.id, &effects) {
                    $0.standing = .answered
                    $0.isBlocking = false
                    $0.reply = .init(text: nil, storedAt: now, deliveredAt: now, channel: channel)
                }
                effects.append(.tell(session, .answered(question, channel: channel)))
            }
        }
    }

    /// Whether the row of `question` waits no more, or without one its file.
    private func isGone(_ question: Question, _ facts: QuestionFacts, _ waiting: Set<String>) -> Bool {
        guard let row = question.row else { return facts.isLive && facts.web?.place != question.web }
        return facts.areRowsKnown && !waiting.contains(row)
    }

    private mutating func noteEnds(
        _ session: SessionID, _ facts: QuestionFacts, now: Int64, _ effects: inout [QuestionEffect]
    ) {
        let isGivenUp = isGivenUp(session, facts, now: now)
        var rows: [String: PendingQuestion] = [:]
        for row in facts.rows { if let place = row.place { rows[Question.key(of: place)] = row } }
        for question in openQuestions(of: session) where !isInFlight(question.id) {
            if isGivenUp || facts.runEndedAt.map({ $0 >= question.askedAt }) == true {
                close(question.id, as: .ended, &effects)
            } else if isOver(question, question.row.flatMap { rows[$0] }, facts) {
                guard question.isWaitAhead, question.reply != nil else {
                    close(question.id, as: question.isDue(at: now) ? .expired : .overtaken, &effects)
                    continue
                }
                // The run never waited, and does not mind an answer that comes later.
                change(question.id, &effects) { $0.expectedUntil = nil }
            }
        }
    }

    /// Whether the session is over without a word of its run, and stays so: a process may only be out of sight for a moment.
    private mutating func isGivenUp(_ session: SessionID, _ facts: QuestionFacts, now: Int64) -> Bool {
        ends[session] = nil
        guard hasOpen(session), facts.isOver, !facts.mayBeUnread else {
            overSince[session] = nil
            if let over = facts.overAt, over > now { ends[session] = over }
            return false
        }
        // The clock may have been set back meanwhile.
        guard let since = overSince[session], since <= now else {
            overSince[session] = now
            scheduleLooks(session, at: [now + Self.waitGrace])
            return false
        }
        guard now - since >= Self.waitGrace else { return false }
        overSince[session] = nil
        return true
    }

    /// Whether the run has gone on: past a question that it waited for, or as a new run. One that it never
    /// waits for can be answered as long as there is time: the answer reaches the next iteration (contract 6.5).
    private func isOver(_ question: Question, _ row: PendingQuestion?, _ facts: QuestionFacts) -> Bool {
        if let ended = facts.runEndedAt, ended >= question.askedAt { return true }
        if let started = facts.runStartedAt, started > question.askedAt { return true }
        return row?.isOvertaken == true && (facts.doesWait || question.web != nil)
    }

    // MARK: Blocking

    private mutating func noteBlocking(
        _ session: SessionID, _ facts: QuestionFacts, _ effects: inout [QuestionEffect]
    ) {
        var telegram: String?
        if let asked = facts.telegramAskedAt {
            telegram =
                openQuestions(of: session).last { question in
                    question.web == nil && question.askedAt <= asked + Self.rowGrace
                        && !openQuestions(of: session).contains {
                            $0.iteration == question.iteration && $0.askedAt < question.askedAt
                        }
                }?.id
        }
        for question in openQuestions(of: session) {
            // A killed run leaves its files behind.
            let isBlocking =
                facts.isLive
                && (question.web != nil ? question.web == facts.web?.place : question.id == telegram)
            change(question.id, &effects) { question in
                if isBlocking, !question.isBlocking, question.web == nil, let asked = facts.telegramAskedAt {
                    question.timeoutAt = Self.timeout(from: asked, facts.timeoutSeconds)
                }
                question.isBlocking = isBlocking
                if isBlocking { question.expectedUntil = nil }
            }
        }
    }

    /// The iteration is over: now the run says that it waits, or it does not wait.
    private mutating func noteExpected(
        _ session: SessionID, _ facts: QuestionFacts, now: Int64, _ effects: inout [QuestionEffect]
    ) {
        for question in openQuestions(of: session) where question.isWaitAhead {
            guard facts.completedIteration >= question.iteration, let until = question.expectedUntil else {
                continue
            }
            if until == .max {
                change(question.id, &effects) { $0.expectedUntil = now + Self.waitGrace }
                scheduleLooks(session, at: Self.laterLooks.map { now + $0 } + [now + Self.waitGrace])
            } else if until <= now || until > now + Self.waitGrace {
                // It is over, or the clock was set back meanwhile.
                change(question.id, &effects) { $0.expectedUntil = nil }
            }
        }
    }
}
