package import RalphWire

/// What somebody had us do: who, what, when, and what became of it.
package struct CommandRecord: Sendable, Equatable {
    /// Ascends with each command; 0 until ``ControlLedger/begin(_:)`` gave it.
    package var id: Int64
    /// `nil`: a command that is of no session, or of one that is still to begin.
    package var session: SessionID?
    /// Such as `pause` or `emit`.
    package var kind: String
    /// Who asked.
    package var by: String
    /// What the rows say that were appended for it, `cmd_` and 16 hexadecimal digits.
    package var marker: String
    /// What else is worth knowing; at most ``ControlLedger/maximumDetailBytes`` of it are kept.
    package var detail: String?
    /// Milliseconds since 1970.
    package var requestedAt: Int64
    /// `accepted`, `queued`, `rejected`, `failed` …; ``pendingOutcome`` and ``unknownOutcome``.
    package var outcome: String
    /// The HTTP status that was answered; 0: none yet.
    package var status: Int
    /// Milliseconds since 1970; `nil`: it goes on, or nobody knows how it ended.
    package var concludedAt: Int64?

    /// The outcome of a command that goes on.
    package static let pendingOutcome = "pending"
    /// The outcome of a command that went on when the server died.
    package static let unknownOutcome = "unknown"

    package init(
        id: Int64 = 0, session: SessionID?, kind: String, by: String, marker: String, detail: String? = nil,
        requestedAt: Int64, outcome: String = CommandRecord.pendingOutcome, status: Int = 0,
        concludedAt: Int64? = nil
    ) {
        self.id = id
        self.session = session
        self.kind = kind
        self.by = by
        self.marker = marker
        self.detail = detail
        self.requestedAt = requestedAt
        self.outcome = outcome
        self.status = status
        self.concludedAt = concludedAt
    }
}
