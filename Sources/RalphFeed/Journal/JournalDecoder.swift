import RalphWire

/// Reads what ``JournalEncoder`` wrote. Everything is checked: a record that was changed is no reason to crash.
struct JournalDecoder {
    /// The contents are not what was written.
    struct Damage: Error {}

    private var rest: ArraySlice<UInt8>

    private init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The appends of a record; nothing may be left behind them.
    static func appends(in bytes: ArraySlice<UInt8>) throws(Damage) -> [NumberedAppend] {
        var decoder = JournalDecoder(bytes)
        var appends: [NumberedAppend] = []
        for _ in 0..<(try decoder.count()) { appends.append(try decoder.append()) }
        guard decoder.rest.isEmpty else { throw Damage() }
        return appends
    }

    private mutating func append() throws(Damage) -> NumberedAppend {
        guard let id = SessionID(try text()) else { throw Damage() }
        let directory = try text()
        let (firstSeq, firstGlobalID) = (try integer(), try integer())
        let head = FeedHead(
            firstKept: try integer(), last: try integer(), lastGlobalID: try integer(),
            newestTimestamp: try integer())
        let batch = try batch()
        var checkpoints: [String: [UInt8]] = [:]
        for _ in 0..<(try count()) { checkpoints[try text()] = try part() }
        let state = try integer() == 0 ? nil : try part()
        let append = SessionAppend(
            id: id, directory: directory, batch: batch, checkpoints: checkpoints, state: state,
            figures: try figures())
        return NumberedAppend(append: append, firstSeq: firstSeq, firstGlobalID: firstGlobalID, head: head)
    }

    private mutating func batch() throws(Damage) -> EventBatch {
        var batch = EventBatch()
        batch.bytes = try part()
        for _ in 0..<(try count()) { batch.items.append(try item(within: batch.bytes.count)) }
        for _ in 0..<(try count()) {
            batch.contexts.append(
                EventBatch.Context(
                    file: try text(), generation: try number(), iteration: try number(), hat: try text()))
        }
        return batch
    }

    private mutating func item(within bound: Int) throws(Damage) -> EventBatch.Item {
        let (members, topic, type) = (try range(), try range(), try range())
        guard members.upperBound <= bound else { throw Damage() }
        for part in [topic, type] {
            guard part.lowerBound >= members.lowerBound, part.upperBound <= members.upperBound else {
                throw Damage()
            }
        }
        let timestamp = try integer()
        guard let origin = EventOrigin(code: try integer()) else { throw Damage() }
        let offset = try integer()
        guard let context = Int32(exactly: try integer()) else { throw Damage() }
        return EventBatch.Item(
            members: members, topic: topic, type: type, timestamp: timestamp, origin: origin, offset: offset,
            context: context)
    }

    private mutating func figures() throws(Damage) -> FigureDays {
        var days = FigureDays()
        for _ in 0..<(try count()) {
            let day = try integer()
            var figures = Figures()
            for path in Figures.sums { figures[keyPath: path] = try integer() }
            figures.peakInputTokens = try integer()
            days.add(figures, day: day)
        }
        return days
    }

    private mutating func range() throws(Damage) -> Range<Int> {
        let (start, end) = (try number(), try number())
        guard 0 <= start, start <= end else { throw Damage() }
        return start..<end
    }

    /// How many things follow; each has a byte at least.
    private mutating func count() throws(Damage) -> Int {
        let count = try number()
        guard (0...rest.count).contains(count) else { throw Damage() }
        return count
    }

    private mutating func number() throws(Damage) -> Int {
        guard let number = Int(exactly: try integer()) else { throw Damage() }
        return number
    }

    private mutating func integer() throws(Damage) -> Int64 {
        guard rest.count >= 8 else { throw Damage() }
        let value = rest.withUnsafeBytes { $0.loadUnaligned(as: Int64.self) }
        rest.removeFirst(8)
        return Int64(littleEndian: value)
    }

    private mutating func part() throws(Damage) -> [UInt8] {
        let count = try count()
        defer { rest.removeFirst(count) }
        return Array(rest.prefix(count))
    }

    private mutating func text() throws(Damage) -> String {
        // Lossless: only valid texts are written.
        String(decoding: try part(), as: UTF8.self)
    }
}
