import RalphWire

/// All questions and what may become of them: a value that is told what happened and says what to do.
///
/// Knows no clock, no file and no client; its owner gives it the time and carries its effects out.
struct QuestionTable: Sendable {
    /// Closed questions that are remembered, so that a late answer gets its reason.
    static let maximumClosed = 1000
    /// Open questions of one session; more are not taken up before some are closed.
    static let maximumOpen = 64
    /// How far ahead a look is planned at most, milliseconds: one that is further is of before the clock was set back.
    private static let farthestLook = max(waitGrace, rowGrace, laterLooks.max() ?? 0)

    private(set) var questions: [String: Question] = [:]
    private var open: [SessionID: Set<String>] = [:]
    /// Closed ones, oldest first.
    private var closed: [String] = []
    /// When to look at a session's files again, milliseconds since 1970, earliest first.
    private(set) var looks: [SessionID: [Int64]] = [:]
    /// When sessions will be over if nothing comes, milliseconds since 1970: they are looked at then.
    var ends: [SessionID: Int64] = [:]
    /// Since when sessions are seen to be over, milliseconds since 1970.
    var overSince: [SessionID: Int64] = [:]
    /// Answers on their way: neither time nor another answer may take their question.
    private var inFlight: Set<String> = []
    /// Stored answers that could not be delivered and are tried again; as many as there are open questions.
    var retries: [String: Retry] = [:]

    init() {}

    /// Takes a stored question up.
    mutating func restore(_ question: Question) {
        questions[question.id] = question
        if question.standing == .open {
            open[question.session, default: []].insert(question.id)
        } else {
            noteClosed(question.id)
        }
    }

    /// The open questions without an answer, oldest first.
    var unanswered: [Question] {
        open.values.joined().compactMap { questions[$0] }.filter(\.isOpen).sorted(by: Self.isOlder)
    }

    /// Open questions whose answer is stored, and on no way now: it was not delivered, or takes a second way.
    var undelivered: [Question] {
        open.values.joined().compactMap { questions[$0] }
            .filter { $0.reply != nil && !inFlight.contains($0.id) }
    }

    /// Those of ``undelivered`` whose run waits, or never will.
    var deliverable: [Question] { undelivered.filter { !$0.isWaitAhead } }

    func openQuestions(of session: SessionID) -> [Question] {
        (open[session] ?? []).compactMap { questions[$0] }.sorted(by: Self.isOlder)
    }

    func hasOpen(_ session: SessionID) -> Bool { open[session] != nil }

    /// Sessions with open questions.
    var openSessions: Set<SessionID> { Set(open.keys) }

    func isInFlight(_ id: String) -> Bool { inFlight.contains(id) }

    // MARK: For the extensions

    mutating func add(_ question: Question, _ effects: inout [QuestionEffect]) {
        questions[question.id] = question
        open[question.session, default: []].insert(question.id)
        effects.append(.save(question.id))
    }

    /// Changes a question; nothing happens if nothing changed.
    mutating func change(
        _ id: String, _ effects: inout [QuestionEffect], _ body: (inout Question) -> Void
    ) {
        guard var question = questions[id] else { return }
        let old = question
        body(&question)
        if question.standing != .open { question.reply?.devices = nil }  // it is nobody's to lose any more
        guard question != old else { return }
        questions[id] = question
        effects.append(.save(id))
        guard old.standing == .open, question.standing != .open else { return }
        retries[id] = nil
        open[question.session]?.remove(id)
        if open[question.session]?.isEmpty == true { open[question.session] = nil }
        noteClosed(id)
    }

    /// Closes a question for a reason other than an answer, and says so.
    mutating func close(_ id: String, as standing: Question.Standing, _ effects: inout [QuestionEffect]) {
        change(id, &effects) {
            $0.standing = standing; $0.isBlocking = false
        }
        if let question = questions[id] { effects.append(.tell(question.session, .expired(question))) }
    }

    /// Opens an answered question once more, for its answer to take another way. That it was delivered before says that
    /// the answer was told.
    mutating func reopen(_ id: String, as place: Question.WebPlace) {
        guard var question = questions[id], question.standing != .open else { return }
        question.web = place
        question.row = nil  // it is answered, and tells nothing of the file
        question.standing = .open
        questions[id] = question
        closed.removeAll { $0 == id }
        open[question.session, default: []].insert(id)
    }

    mutating func setInFlight(_ id: String, _ isInFlight: Bool) {
        if isInFlight { inFlight.insert(id) } else { inFlight.remove(id) }
    }

    mutating func scheduleLooks(_ session: SessionID, at times: [Int64]) {
        looks[session] = Array(((looks[session] ?? []) + times).sorted().prefix(16))
    }

    mutating func dropLooks(until now: Int64) -> Set<SessionID> {
        var due: Set<SessionID> = []
        for (session, times) in looks {
            let rest = times.filter { $0 > now && $0 - now <= Self.farthestLook }
            guard rest.count < times.count else { continue }
            due.insert(session)
            looks[session] = rest.isEmpty ? nil : rest
        }
        for (session, end) in ends where end <= now {
            due.insert(session)
            ends[session] = nil
        }
        return due
    }

    private mutating func noteClosed(_ id: String) {
        closed.append(id)
        while closed.count > Self.maximumClosed { questions[closed.removeFirst()] = nil }
    }

    static func isOlder(_ left: Question, _ right: Question) -> Bool {
        left.askedAt == right.askedAt ? left.id < right.id : left.askedAt < right.askedAt
    }
}
