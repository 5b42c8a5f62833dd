/// What the control side has to say about a session; the ingest thread makes events of it.
package enum ControlNote: Sendable, Equatable {
    /// What was asked for; `pauseNow` by the end of its agent, and no stop file.
    package enum Request: String, Sendable, Codable { case pause, pauseNow, resume, stop }

    // Times are milliseconds since 1970.

    /// An event of its own. `type` is also the topic; `payload` is a JSON object's text.
    case event(type: String, payload: String, at: Int64)
    /// A request whose effect the run's own rows will tell: the event of it says since when it was wanted
    /// (`requested_at`, `effective_at`).
    ///
    /// After `pause`, an end with reason `stopped` is `session.paused` with `"means":"ended"`; after `stop`,
    /// whatever end comes says its times; after `resume`, the next start of a run is followed by
    /// `session.resumed`. A pause or resume inside a living process has no row: it is an ``event`` of its own.
    case requested(Request, at: Int64)
    /// A request came to nothing: the next end or start of a run is the run's own doing again.
    case withdrawn(Request)
    /// The run is over and its files do not say so; passed over if they do.
    case ended(reason: String, at: Int64)
    /// One event `sentinel.…` about an episode, which is remembered with it, as is since when a stalled run is silent.
    case signal(Sentinel, episode: Int, payload: String, at: Int64, since: Int64? = nil)
    /// The episode is over; with a payload `sentinel.recovered` tells of it.
    case signalOver(Sentinel, payload: String?, at: Int64)
}
