/// What the look at the start found; `/api/health` shows it.
struct ControlReport: Sendable, Encodable, Equatable {
    /// Runs of a former server that live and are controlled again.
    var adopted = 0
    /// Runs that lived at the start, whoever started them.
    var running = 0
    /// Runs that are paused, alive or to be continued.
    var paused = 0
    /// Agents without a ralph above them.
    var orphans = 0
    /// Runs that ended while no server looked.
    var ended_while_away = 0
}
