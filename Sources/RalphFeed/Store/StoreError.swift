/// Why the record cannot be opened, written or read.
package enum StoreError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Another server has the file open; `pid` is `nil` if it cannot be told.
    case inUse(path: String, pid: Int32?)
    /// The file or its directory cannot be made, written or read.
    case unwritable(path: String, reason: String)
    /// No room; nothing was stored, and the same append may be repeated.
    case diskFull(path: String)
    /// The file is damaged; at the next start it is moved aside.
    case corrupt(path: String, reason: String)
    /// A newer version of the server made the file.
    case newerSchema(path: String)
    /// A setting is out of its bounds.
    case invalidConfiguration(String)
    /// The feed was closed.
    case closed
    /// Anything else that SQLite reports.
    case failed(path: String, reason: String)

    package var description: String {
        switch self {
        case .inUse(let path, let pid):
            let owner = pid.map { "the process with pid \($0)" } ?? "another process"
            return "The event store \(path) is in use by \(owner); stop it,"
                + " or choose another state directory."
        case .unwritable(let path, let reason):
            return "The event store \(path) cannot be used: \(reason); check its owner, its permissions,"
                + " the disk and your quota."
        case .diskFull(let path):
            return "The event store \(path) cannot grow: the disk is full; make room, nothing was lost."
        case .corrupt(let path, let reason):
            return "The event store \(path) is damaged: \(reason); the next start moves it aside and"
                + " begins a new one."
        case .newerSchema(let path):
            return "The event store \(path) was written by a newer version; use that version. Moved away, it"
                + " takes its numbers, commands, questions and figures along, and clients begin anew."
        case .invalidConfiguration(let reason): return reason
        case .closed: return "The event store is closed."
        case .failed(let path, let reason): return "The event store \(path) failed: \(reason)."
        }
    }
}
