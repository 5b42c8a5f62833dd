import RalphWire

/// A file that is the beginning of what was read at its path, as far as can be told: most likely a copy that is still being
/// made, as when a directory is put back from a backup. It stands in the place of the one that was read, or is that one and
/// is written over (`cp backup events.jsonl`).
///
/// It is left alone until it has all that was read, or does not grow any more. One that goes away before was never there,
/// unless a run wrote to it.
struct ReturningFile {
    let identity: FileIdentity
    /// What it had when it was first seen, or less if it was cut since. What came later and is not older than ``newestOld``
    /// was written by a run.
    private(set) var firstSize: Int64
    /// No run has written a row since that is dated before this, milliseconds since 1970.
    private(set) var newestOld: Int64
    private let firstSeen = ContinuousClock.now
    private var size: Int64
    private var grown = ContinuousClock.now

    /// - Parameter time: milliseconds since 1970.
    init(_ identity: FileIdentity, size: Int64, time: Int64 = WallClock.milliseconds()) {
        self.identity = identity
        firstSize = size
        self.size = size
        newestOld = time - SessionNarrator.clockSkewMilliseconds
    }

    /// Takes up that it has `size` bytes now.
    mutating func note(_ size: Int64, time: Int64 = WallClock.milliseconds()) {
        let now = ContinuousClock.now
        if size != self.size { (self.size, grown) = (size, now) }
        firstSize = min(firstSize, size)
        // A clock that was set back dates rows back as well.
        let (seconds, fraction) = (now - firstSeen).components
        let begin = time - seconds * 1000 - fraction / 1_000_000_000_000_000
        newestOld = min(newestOld, begin - SessionNarrator.clockSkewMilliseconds)
    }

    /// Whether it has not grown for so long that the copy is made.
    func rests(_ limits: TailLimits) -> Bool { ContinuousClock.now >= grown + limits.copyRest }

    /// Whether it has been growing for longer than `duration`.
    func isLate(after duration: Duration) -> Bool { ContinuousClock.now >= firstSeen + duration }

    /// Whether to go on waiting, now that it has `size` bytes.
    mutating func isWaitedFor(at size: Int64, _ limits: TailLimits) -> Bool {
        note(size)
        return !rests(limits) && !isLate(after: limits.copyDuration)
    }
}
