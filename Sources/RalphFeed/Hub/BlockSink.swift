/// Somebody who wants every block the moment that it is stored.
package protocol BlockSink: AnyObject, Sendable {
    /// Called on the thread that appends, after the commit and after the blocks are in memory, in order.
    ///
    /// Must return quickly, must not block and must not append.
    func deliver(_ blocks: [EventBlock])

    /// Called on the same thread before more is read: returns when the sink is not behind, at the latest after `limit`.
    func waitUntilTaken(atMost limit: Duration)
}

extension BlockSink {
    /// Most sinks are never behind.
    package func waitUntilTaken(atMost limit: Duration) {}
}
