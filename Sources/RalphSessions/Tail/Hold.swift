/// A value that is held back, and since when; it is not stored, so that after a restart it is held anew.
struct Hold<Value> {
    private var held: (value: Value, since: Int64)?

    /// Holds `value`, from now on, or on from when it was held first.
    ///
    /// - Parameters:
    ///   - delay: how long it is held, milliseconds.
    ///   - now: milliseconds since 1970, by a clock that may have been set back.
    ///   - isSame: whether it is the one that is held already.
    /// - Returns: until when.
    mutating func hold(
        _ value: Value, for delay: Int64, now: Int64, isSame: (Value, Value) -> Bool
    ) -> Int64 {
        var since = now
        if let held, isSame(held.value, value) { since = min(held.since, now) }
        held = (value, since)
        return since + delay
    }

    /// What has been held for `delay`.
    func value(heldFor delay: Int64, now: Int64) -> Value? {
        guard let held, now >= held.since + delay else { return nil }
        return held.value
    }

    mutating func end() { held = nil }
}
