/// A file that stands at the path of another one and is the beginning of what was read there, as far as can be told: most
/// likely a copy that is still being made, as when a directory is put back from a backup.
///
/// It is left alone until it has all that was read, or does not grow any more.
struct ReturningFile {
    let identity: FileIdentity
    /// What it had when it was first seen. What came later may have been written by a run.
    let firstSize: Int64
    private let firstSeen = ContinuousClock.now
    private var size: Int64
    private var grown = ContinuousClock.now

    init(_ identity: FileIdentity, size: Int64) {
        self.identity = identity
        firstSize = size
        self.size = size
    }

    /// Whether to go on waiting, now that it has `size` bytes.
    mutating func isWaitedFor(at size: Int64, _ limits: TailLimits) -> Bool {
        let now = ContinuousClock.now
        if size != self.size { (self.size, grown) = (size, now) }
        return now < grown + limits.copyRest && now < firstSeen + TailLimits.copyDuration
    }
}
