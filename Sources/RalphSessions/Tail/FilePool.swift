/// Descriptors that stay open between reads, the least recently used given up first, and the buffer that
/// all reads share. One per ingest thread; not for two threads.
package final class FilePool {
    private final class Entry {
        let file: OpenFile
        var lastUse: UInt64

        init(_ file: OpenFile, lastUse: UInt64) { (self.file, self.lastUse) = (file, lastUse) }
    }

    let buffer: ReadBuffer
    private let limit: Int
    private var entries: [Int: Entry] = [:]
    private var uses: UInt64 = 0
    private var nextKey = 0

    package init(limits: TailLimits = TailLimits()) {
        buffer = ReadBuffer(count: limits.readBytes + TailPosition.fingerprintBytes)
        limit = max(1, limits.openFiles)
    }

    /// How many descriptors are open now.
    package var openCount: Int { entries.count }

    /// A key that nobody else has.
    func makeKey() -> Int {
        nextKey += 1
        return nextKey
    }

    /// The file kept for `key`, unless it was given up.
    func file(_ key: Int) -> OpenFile? {
        guard let entry = entries[key] else { return nil }
        uses += 1
        entry.lastUse = uses
        return entry.file
    }

    /// Keeps `file` for `key`, in place of what was kept for it.
    func keep(_ file: OpenFile, for key: Int) {
        if entries[key] == nil, entries.count >= limit,
            let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            entries[oldest.key] = nil
        }
        uses += 1
        entries[key] = Entry(file, lastUse: uses)
    }

    /// Closes the file kept for `key`.
    func release(_ key: Int) { entries[key] = nil }
}
