/// What the control side has to say about a session; the ingest thread makes events of it.
package enum ControlNote: Sendable, Equatable {
    /// What was asked for.
    package enum Request: String, Sendable, Codable { case pause, resume, stop }

    /// An event of its own. `type` is also the topic; `payload` is a JSON object's text; `at` milliseconds.
    case event(type: String, payload: String, at: Int64)
    /// A request whose effect the run's own rows will tell: the event of it says since when it was wanted.
    case requested(Request, at: Int64)
    /// A request came to nothing: the next end or start of a run is the run's own doing again.
    case withdrawn(Request)
    /// The run is over and its files do not say so.
    case ended(reason: String, at: Int64)
}
