import Synchronization

/// What happened to streams since the start; `/metrics` shows them, `/api/health` most of them.
final class StreamCounters: Sendable {
    let open = Atomic<Int>(0)
    let opened = Atomic<Int>(0)
    /// Cut because the peer took nothing for too long.
    let stalled = Atomic<Int>(0)
    /// Times that a stream fell behind and went on from its cursor.
    let lagged = Atomic<Int>(0)
    /// Times that an event loop's inbox was full, so that its streams went on from their cursors.
    let overflowed = Atomic<Int>(0)
    /// Times that an event loop was told of new events.
    let wakeups = Atomic<Int>(0)
    /// Connections open now.
    let connections = Atomic<Int>(0)
    /// Connections accepted since the start.
    let accepted = Atomic<Int>(0)
    /// Connections that were told that there are too many.
    let refusedConnections = Atomic<Int>(0)
    /// Connections that were cut because an answer was not taken.
    let untakenAnswers = Atomic<Int>(0)
    /// Gaps announced.
    let gaps = Atomic<Int>(0)

    init() {}
}
