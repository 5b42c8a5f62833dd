/// What the memory has after a cursor.
package enum RecentEvents: Sendable {
    /// There is nothing after the cursor.
    case caughtUp
    /// The events after the cursor without a hole, oldest first; ask again behind the last one.
    case blocks([BlockSlice])
    /// There are events after the cursor that are in the store alone; memory begins at this number.
    case older(oldestInMemory: Int64)
}
