/// Somebody who wants every block the moment that it is stored.
package protocol BlockSink: AnyObject, Sendable {
    /// Called on the thread that appends, after the commit and after the blocks are in memory, in order.
    ///
    /// Must return quickly, must not block and must not append.
    func deliver(_ blocks: [EventBlock])
}
