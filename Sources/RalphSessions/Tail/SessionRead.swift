package import RalphWire

/// What one read of a session came to.
///
/// ``batch``, ``checkpoints`` and a changed ``state`` belong together: stored in one transaction, they let
/// a new tail go on behind the last event stored.
package struct SessionRead: Sendable {
    package var id: SessionID
    package var batch: EventBatch
    /// The checkpoints that moved; an empty one is to be removed.
    package var checkpoints: [String: [UInt8]]
    package var state: SessionState
    /// Whether something moved in ``state`` that is worth storing at once.
    package var stateChanged: Bool
    /// The budget was used up: read again at once.
    package var hasMore: Bool
    /// When the session wants to be read though no file changes, milliseconds since 1970.
    package var readAgainAt: Int64?
    /// Sentences about files that could not be read as they should; at most ``maximumProblems``.
    package var problems: [String]
    /// That of ``problems`` which is of an events file that cannot be read; `nil`: none is.
    package var unreadableLog: String?
    /// Whether the read before told others.
    package var problemsChanged = false
    /// What ``batch`` adds to the figures; belongs to it like ``state``.
    package var figures = FigureDays()
    /// Lines that became no event, or not whole.
    package var skipped = SkippedLines()

    package static let maximumProblems = 8
}
