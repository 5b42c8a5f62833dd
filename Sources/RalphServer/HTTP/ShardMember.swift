/// What a ``ConnectionShard`` keeps time for, beside connections that carry one request after the other.
/// Confined to the shard's event loop.
protocol ShardMember: AnyObject {
    /// Called each second.
    func tick(second: Int64)
    /// The server goes down.
    func drain()
}
