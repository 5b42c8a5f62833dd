import RalphWire

/// Writes the contents of a journal's record: integers of 8 bytes, least significant byte first; texts and lists
/// behind their length.
struct JournalEncoder {
    private(set) var bytes: [UInt8] = []

    /// Begins a new record with room for `count` bytes before its contents; its memory is kept.
    mutating func reset(reserving count: Int) {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: repeatElement(0, count: count))
    }

    /// Puts `words` in front, into the room that was left.
    mutating func putHead(_ words: [UInt64]) {
        bytes.withUnsafeMutableBytes { bytes in
            for (index, word) in words.enumerated() {
                bytes.storeBytes(of: word.littleEndian, toByteOffset: index * 8, as: UInt64.self)
            }
        }
    }

    mutating func put(_ appends: [NumberedAppend]) {
        put(appends.count)
        for append in appends { put(append) }
    }

    private mutating func put(_ numbered: NumberedAppend) {
        let append = numbered.append
        put(append.id.rawValue)
        put(append.directory)
        put(numbered.firstSeq)
        put(numbered.firstGlobalID)
        put(numbered.head.firstKept)
        put(numbered.head.last)
        put(numbered.head.lastGlobalID)
        put(numbered.head.newestTimestamp)
        put(append.batch)
        put(append.checkpoints.count)
        for (name, value) in append.checkpoints {
            put(name)
            put(value)
        }
        put(append.state == nil ? 0 : 1)
        if let state = append.state { put(state) }
        put(append.figures.days.count)
        for (day, figures) in append.figures.days {
            put(day)
            for path in Figures.sums { put(figures[keyPath: path]) }
            put(figures.peakInputTokens)
        }
    }

    private mutating func put(_ batch: EventBatch) {
        put(batch.bytes)
        put(batch.items.count)
        for item in batch.items {
            for range in [item.members, item.topic, item.type] {
                put(range.lowerBound)
                put(range.upperBound)
            }
            put(item.timestamp)
            put(item.origin.code)
            put(item.offset)
            put(Int64(item.context))
        }
        put(batch.contexts.count)
        for context in batch.contexts {
            put(context.file)
            put(context.generation)
            put(context.iteration)
            put(context.hat)
        }
    }

    private mutating func put(_ value: Int) { put(Int64(value)) }

    private mutating func put(_ value: Int64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func put(_ part: [UInt8]) {
        put(part.count)
        bytes += part
    }

    private mutating func put(_ text: String) {
        put(text.utf8.count)
        bytes += text.utf8
    }
}
