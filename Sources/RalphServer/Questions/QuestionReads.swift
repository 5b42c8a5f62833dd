import RalphWire

/// What files of a session say of its questions that no event tells.
struct QuestionFiles: Sendable {
    /// The web robot's open question.
    var web: WebQuestion?
    /// When Ralph began to wait for an answer over Telegram; `nil`: it does not.
    var telegramAskedAt: Int64?
    /// Whether the directory of a session that is not known is gone.
    var isRemoved = false
    /// Whether the session was not known, so that only its directory was looked for.
    var isOfUnknown = false
}

/// Reads of such files that are under way, several of one session among them.
///
/// They may end in another order than they began: what an earlier one found never counts behind what a later one did. Whatever
/// was begun is to be ended, by whoever takes in what it found and without a pause in between.
struct QuestionReads: Sendable {
    struct Read: Sendable {
        let session: SessionID
        /// Later ones have higher numbers.
        let number: Int
        /// `nil`: not known.
        var files: QuestionFiles?
    }

    private var count = 0
    private var underWay: [SessionID: Int] = [:]
    /// What the latest one found of those that were ended, while others are under way.
    private var latest: [SessionID: Read] = [:]

    mutating func begin(_ session: SessionID) -> Read {
        count += 1
        underWay[session, default: 0] += 1
        return Read(session: session, number: count)
    }

    /// - Returns: what is known of the files by now; `nil`: nothing.
    mutating func end(_ read: Read) -> QuestionFiles? {
        let session = read.session
        if read.files != nil, (latest[session]?.number ?? 0) < read.number { latest[session] = read }
        let known = latest[session].flatMap { $0.number >= read.number ? $0.files : nil }
        let left = (underWay[session] ?? 1) - 1
        underWay[session] = left > 0 ? left : nil
        if left <= 0 { latest[session] = nil }
        return known
    }
}
