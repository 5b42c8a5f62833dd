import Foundation

/// Everything about a session that its lines told so far.
///
/// Stored beside the checkpoints, so that a restart goes on where the last commit ended. Times are
/// milliseconds since 1970. ``revision`` does not move with the counts of events and of dropped lines, nor with
/// ``lastEventAt``: they are only as fresh as the last change when they come back from the store.
package struct SessionState: Sendable, Codable, Equatable {
    // MARK: The run

    /// Runs whose start was seen.
    package var runs = 0
    /// The last run's start; `nil`: not seen.
    package var runStartedAt: Int64?
    /// `nil` while the last run goes on, as far as its lines tell: a killed run says nothing.
    package var runEndedAt: Int64?
    /// When the run before ended, or told of something last; `nil`: there was none, or it is not known.
    package var runBeforeEndedAt: Int64?
    /// Reason of the `loop.terminate` row (contract 2.6), such as `completed` or `stopped`.
    package var endReason: String?
    /// The prompt of the last run; Ralph cuts it at 500 bytes in events files. At most 8 KiB.
    package var prompt: String?
    /// From the last run's own output; `nil`: see ``WorkspaceConfig/maxIterations``.
    package var maxIterations: Int?

    // MARK: Where it stands

    /// The iteration in progress, or the last one of an ended run; 0 before the first.
    package var iteration = 0
    /// The newest iteration of the run that ended; 0: none.
    package var completedIteration = 0
    /// Current hat id in lower case; empty: not known.
    package var hat = ""
    /// The topic that activated ``hat``.
    package var triggerEvent: String?
    /// Time of the newest event; `nil` before the first one. A row of an events file counts as at most a minute newer
    /// than its file. After a restart see ``SavedTail/newestRow``.
    package var lastEventAt: Int64?
    /// Time of the oldest event, or of the first line of the file that the newest lines are of; `nil`: not known.
    package internal(set) var firstEventAt: Int64?
    /// The newest 1000 iterations, oldest first.
    package var iterations: [IterationRecord] = []
    /// Unanswered questions, oldest first, at most ``PendingQuestion/maximumKept``.
    package var questions: [PendingQuestion] = []
    package var backpressure: BackpressureVerdict?

    // MARK: What was asked for

    // Optional, so that states stored before these were known still decode.

    /// When the pause, stop or resume was asked for that the run's own rows did not answer yet, milliseconds
    /// since 1970; see ``ControlNote/requested(_:at:)``.
    package internal(set) var pauseRequestedAt: Int64?
    /// Whether that is a ``ControlNote/Request/pauseNow``.
    package internal(set) var isPauseNow: Bool?
    package internal(set) var stopRequestedAt: Int64?
    package internal(set) var resumeRequestedAt: Int64?

    // MARK: Figures

    /// Sum over the last run's iterations.
    package var outputTokens = 0
    /// Ralph reports the largest prompt of an iteration, not a sum (contract 2.7): the last one and the peak.
    package var lastInputTokens = 0
    package var peakInputTokens = 0
    /// US dollars, sum over the last run's iterations.
    package var cost = 0.0
    /// Up to where the time of the run that goes on is counted, milliseconds since 1970; `nil`: none does.
    package internal(set) var workedThrough: Int64?
    /// What the newest events tell about progress; `nil` until the first sight is over.
    package internal(set) var signs: SessionSigns?
    package var engineEvents = 0
    package var agentEvents = 0
    /// Lines that are not, or not only, JSON objects.
    package var malformedLines = 0
    /// Lines that were too long to be read.
    package var overlongLines = 0
    /// Lines of a run's output that become no event: banners, replies, and what the events file says too.
    package var droppedAgentLines = 0

    // MARK: What the derivation remembers

    /// The last run has output of its own that tells of its iterations.
    package var hasAgentIterations = false
    var memory = NarratorMemory()
    /// Moves with each change that is worth storing at once.
    package var revision = 0

    package init() {}
}

extension SessionState {
    /// The state as it is stored, as JSON: its iterations, by far the most of it, are among the checkpoints.
    package func encodedWithoutIterations() throws -> [UInt8] {
        var state = self
        state.iterations = []
        return Array(try JSONEncoder().encode(state))
    }
}
