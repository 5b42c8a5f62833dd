package import RalphWire

/// Numbered events of one session, contiguous in seq, as server-sent events back to back.
///
/// Made once and shared by everybody who sends it. Blocks made by an append are contiguous in global id as
/// well; those read back from the store by seq need not be.
package final class EventBlock: Sendable {
    /// One event; positions are offsets into ``EventBlock/bytes``.
    package struct Entry: Sendable {
        package private(set) var frameStart: Int32
        /// Where the JSON object's `{` is; its `}` is the byte before `jsonEnd`.
        package private(set) var jsonStart: Int32
        package private(set) var jsonEnd: Int32
        private var topicStart: Int32
        private var topicEnd: Int32
        package let globalID: Int64
        /// Milliseconds since 1970.
        package let timestamp: Int64
        package let origin: EventOrigin

        /// The entry of `item`, whose frame begins at `frame` and has `layout`.
        init(_ item: EventBatch.Item, at frame: Int, layout: ServerSentEventEncoder.Layout, globalID: Int64) {
            let shift = frame + layout.membersStart - item.members.lowerBound
            frameStart = Int32(frame)
            jsonStart = Int32(frame + layout.json.lowerBound)
            jsonEnd = Int32(frame + layout.json.upperBound)
            topicStart = Int32(item.topic.lowerBound + shift)
            topicEnd = Int32(item.topic.upperBound + shift)
            self.globalID = globalID
            timestamp = item.timestamp
            origin = item.origin
        }

        /// The same where everything lies `distance` further on.
        func shifted(by distance: Int) -> Entry {
            let distance = Int32(distance)
            var entry = self
            entry.frameStart += distance
            entry.jsonStart += distance
            entry.jsonEnd += distance
            entry.topicStart += distance
            entry.topicEnd += distance
            return entry
        }

        /// The topic, JSON-escaped, without its quotes.
        package var topic: Range<Int> { Int(topicStart)..<Int(topicEnd) }
    }

    package let session: SessionID
    /// The seq of the first entry; the others follow.
    package let firstSeq: Int64
    /// All frames, see ``ServerSentEventEncoder``.
    package let bytes: [UInt8]
    /// At least one.
    package let entries: [Entry]

    init(session: SessionID, firstSeq: Int64, bytes: [UInt8], entries: [Entry]) {
        self.session = session
        self.firstSeq = firstSeq
        self.bytes = bytes
        self.entries = entries
    }

    package var count: Int { entries.count }
    package var lastSeq: Int64 { firstSeq + Int64(entries.count) - 1 }
    package var firstGlobalID: Int64 { entries[0].globalID }
    package var lastGlobalID: Int64 { entries[entries.count - 1].globalID }

    /// The JSON object of the entry at `index`.
    package func json(at index: Int) -> ArraySlice<UInt8> {
        bytes[Int(entries[index].jsonStart)..<Int(entries[index].jsonEnd)]
    }

    /// The frames of the entries `from ..< to`, back to back.
    package func bytes(from: Int, to: Int) -> ArraySlice<UInt8> {
        bytes[frameStart(from)..<frameStart(to)]
    }

    /// Where the frame of the entry at `index` begins; behind the last entry: where everything ends.
    func frameStart(_ index: Int) -> Int {
        index < entries.count ? Int(entries[index].frameStart) : bytes.count
    }

    /// How far one gets from entry `lower` with `limit` bytes, by whole frames, at least one of them.
    func end(from lower: Int, limit: Int) -> Int {
        let (bound, overflow) = frameStart(lower).addingReportingOverflow(limit)
        if overflow || bytes.count <= bound { return count }
        var (low, high) = (lower + 1, count)
        while low < high {
            let middle = (low + high + 1) / 2
            if frameStart(middle) <= bound { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// What the block costs in memory, in bytes, roughly.
    var cost: Int { bytes.count + entries.count * MemoryLayout<Entry>.stride + 256 }
}
