import RalphWire

/// An append and the numbers that its events have.
struct NumberedAppend: Sendable {
    /// Events of one session are put together up to so many bytes: what grows further is copied again and again, and
    /// has room for twice as much.
    static let largestExtended = 32 << 10

    private(set) var append: SessionAppend
    let firstSeq: Int64
    let firstGlobalID: Int64
    /// The head of the session behind it.
    private(set) var head: FeedHead

    /// Takes in the next append of all, if it is of the same session and both are small; `false`: it stays by itself.
    mutating func extend(by next: NumberedAppend) -> Bool {
        guard next.append.id == append.id,
            append.batch.bytes.count + next.append.batch.bytes.count <= Self.largestExtended
        else { return false }
        append.batch.append(next.append.batch)
        append.checkpoints.merge(next.append.checkpoints) { $1 }
        if let state = next.append.state { append.state = state }
        for (day, figures) in next.append.figures.days { append.figures.add(figures, day: day) }
        head = next.head
        return true
    }

    /// The same where the ring holds `ring` events, and none before `firstKept`, whatever it held before.
    func within(ring: Int, from firstKept: Int64) -> NumberedAppend {
        var numbered = self
        numbered.head.firstKept = max(head.firstKept, firstKept, head.last - Int64(ring) + 1)
        return numbered
    }
}
