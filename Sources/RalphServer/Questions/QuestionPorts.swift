import RalphControl
import RalphWire

/// What the book of questions needs of the server; closures, so that it can be tried without one.
struct QuestionPorts: Sendable {
    /// Every stored question, oldest first; blocks.
    var load: @Sendable () throws -> [Question]
    /// Stores a question, at a time in milliseconds since 1970; blocks for one small transaction.
    var save: @Sendable (Question, Int64) throws -> Void
    /// What is known of a session, without its ``files``; `hasOpen` tells whether questions of it are open. `nil`: no such
    /// session.
    var facts: @Sendable (SessionID, _ hasOpen: Bool) -> QuestionFacts?
    /// What the files of a session say; without `hasOpen` they are read only where the session says that there is something
    /// to read. `nil`: not known, as where a file system does not answer; nobody waits long for that.
    var files: @Sendable (SessionID, _ hasOpen: Bool) async -> QuestionFiles?
    /// Whether the session can take an answer.
    var isLive: @Sendable (SessionID) -> Bool
    /// Whether what the sessions' files say can be read and stored, without which it is not known.
    var canStore: @Sendable () -> Bool
    /// Returns when every session has been read for the first time, or cannot be; `false`: the server ends before. `nil`:
    /// it has.
    var waitForFirstScan: (@Sendable () async -> Bool)?
    /// Makes an event of the session, at a time in milliseconds since 1970.
    var tell: @Sendable (SessionID, QuestionEvent, Int64) async throws -> Void
    /// Hands an answer to the run, if whoever gave it still may.
    var deliver: @Sendable (Question, _ text: String, Requester) async throws -> Void
    /// The paired device of an id that was stored, which may ask until it is revoked.
    var requester: @Sendable (_ device: String) -> Requester
    var clock: DeadlineClock = .system
}
