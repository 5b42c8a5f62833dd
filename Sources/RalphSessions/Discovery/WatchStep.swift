package import RalphWire

/// What one wait brought.
package struct WatchStep: Sendable {
    /// Sessions seen for the first time, or again after they were gone; their first read is in ``reads``.
    package var found: [DiscoveredSession] = []
    /// Sessions whose facts changed, for example the loop id.
    package var changed: [DiscoveredSession] = []
    /// Sessions whose directory is no session any more; their last read was given before or is in ``reads``.
    package var gone: [SessionID] = []
    /// What was read, at most one per session.
    package var reads: [SessionRead] = []
    /// Only of sessions for which it changed; a found session's is always here.
    package var liveness: [SessionID: SessionLiveness] = [:]
    /// Sessions that were found and are still to be read for the first time, of a step that reads none.
    package var awaited: [DiscoveredSession] = []
    /// After a scan.
    package var report: DiscoveryReport?

    package init() {}
}
