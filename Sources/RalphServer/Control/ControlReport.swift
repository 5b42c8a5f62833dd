/// What the look at the start found, and what was done to output since; `/api/health` shows it.
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
    /// Bytes of runs' output that were given back to the disk.
    var output_freed_bytes: Int64 = 0
    /// Times that output beyond its cap could not be given back, for example on a file system without holes.
    var output_uncapped = 0
}
