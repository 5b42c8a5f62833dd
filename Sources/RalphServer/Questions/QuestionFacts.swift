import RalphSessions

/// What a session's files say of its questions at one moment.
struct QuestionFacts: Sendable {
    /// The unanswered `human.interact` rows, oldest first.
    var rows: [PendingQuestion] = []
    /// Whether the rows are known: a session that was found is read a little later.
    var areRowsKnown = false
    /// Whether the oldest rows may have been given up for lack of room.
    var areRowsFull = false
    /// The web robot's open question.
    var web: WebQuestion?
    /// When Ralph began to wait for an answer over Telegram; `nil`: it does not.
    var telegramAskedAt: Int64?
    var runStartedAt: Int64?
    /// The newest iteration that ended.
    var completedIteration = 0
    var runEndedAt: Int64?
    /// Whether the session can still take an answer: it is not over, and its run has a process that can be seen.
    var isLive = false
    /// Whether the session is over (http-contract 3.1: its mode is `complete`), if only because nothing came for long.
    var isOver = false
    /// Whether what the files say may not be known yet: in the first scan, and while nothing can be stored.
    var mayBeUnread = false
    /// When it will be over if nothing comes, milliseconds since 1970; `nil`: not by time alone.
    var overAt: Int64?
    /// `RObot.timeout_seconds` of the configuration; 0: never.
    var timeoutSeconds: Int64?
    /// Whether the configuration makes Ralph wait for answers at all (contract 6.5).
    var doesWait = false
    /// Whether it is a file that Ralph waits for then, so that no row can be taken for an answer.
    var waitsOnFile = false
}
