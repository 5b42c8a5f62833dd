/// Where a row that we appended for a person came to stand in the record.
struct EventEcho: Sendable, Equatable {
    let seq: Int64
    /// `evt_<session>-<seq>`.
    let eventID: String
    /// What its `ts` says, milliseconds since 1970.
    let timestamp: Int64
}
