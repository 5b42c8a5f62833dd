/// What is remembered of many, in bounded room.
///
/// When it is full everything goes that has faded, which loses nothing. What has not faded stays: whoever is being
/// limited cannot get rid of that by sending from a thousand other addresses. If nothing has faded, newcomers
/// share one value until there is room again.
struct FadingTable<Key: Hashable & Sendable, Value: Fading>: Sendable {
    /// Nanoseconds between two looks for what has faded: a flood of newcomers does not make us look each time.
    static var sweepInterval: Int64 { 50_000_000 }

    /// Values at once, beside the shared one.
    let maximumEntries: Int
    private var entries: [Key: Value] = [:]
    private var shared = Value()
    private var nextSweep: Int64 = .min

    init(maximumEntries: Int) { self.maximumEntries = maximumEntries }

    var count: Int { entries.count }

    /// Whether newcomers share one value until something fades.
    mutating func isFull(at now: Int64) -> Bool {
        if entries.count >= maximumEntries { sweep(at: now) }
        return entries.count >= maximumEntries
    }

    /// Whether there is a value for `key` alone.
    func holds(_ key: Key) -> Bool { entries[key] != nil }

    /// Changes the value of `key`, a new one if there is none, or the shared one if there is no room.
    mutating func change<Result>(_ key: Key, at now: Int64, _ body: (inout Value) -> Result) -> Result {
        if let index = entries.index(forKey: key) { return body(&entries.values[index]) }
        guard !isFull(at: now) else { return body(&shared) }
        return body(&entries[key, default: Value()])
    }

    private mutating func sweep(at now: Int64) {
        guard now >= nextSweep else { return }
        nextSweep = now + Self.sweepInterval
        entries = entries.filter { !$0.value.hasFaded(at: now) }
    }
}
