import NIOCore
import RalphFeed
import RalphSessions
import RalphWire

/// One page of a session's past and how to get the one before it.
struct HistoryPage: Sendable {
    let session: SessionID
    /// The number that it begins with, or would; 1 for what has none.
    var first: Int64 = 1
    /// Numbered events and the gaps between them, oldest first.
    var pieces: [ReplayChunk.Piece] = []
    /// Events from before first sight; they have no numbers.
    var unnumbered: EventBatch?
    /// Where older unnumbered events end; `nil`: there are none, or numbered ones come first.
    var before: ArchivePlace?
    var hasMore = false
    /// The last number that was looked at on the way forwards; `nil`: the page was made backwards.
    var through: Int64?
    /// Where the page does not begin where it was asked to, in the words of a stream.
    var notices: [StreamGap] = []

    /// Of the numbered events.
    var bytes: Int {
        pieces.reduce(0) { sum, piece in
            if case .events(let slice) = piece { sum + slice.bytes.count } else { sum }
        }
    }

    /// The page as JSON; events whose topic matches none of `topics` are left out (empty: none are).
    func json(head: FeedHead, epoch: String, topics: [TopicPattern]) -> ByteBuffer {
        var events = ByteBuffer()
        for case .events(let slice) in pieces { append(slice, topics, to: &events) }
        if let unnumbered { append(unnumbered, topics, to: &events) }
        var body = ByteBuffer(string: #"{"events":["#)
        body.writeBuffer(&events)
        body.writeString(
            #"],"first_seq":\#(head.last == 0 ? 0 : head.firstKept),"last_seq":\#(head.last),"#
                + #""epoch":"\#(epoch)","has_more":\#(hasMore),"after_seq":\#(afterSeq),"#
                + #""before_seq":\#(first > 1 ? String(first) : "null"),"#
                + #""before":\#(before.map { "\"\($0.text)\"" } ?? "null"),"gaps":[\#(gaps)]}"#
        )
        return body
    }

    /// What could not be read, as JSON objects with commas between them.
    var gaps: String {
        let missing = pieces.compactMap { if case .gap(let gap) = $0 { gap } else { nil } }
        return (notices + missing).map(\.json).joined(separator: ",")
    }

    /// The numbered events as JSON objects with commas between them.
    func events() -> ByteBuffer {
        var events = ByteBuffer()
        for case .events(let slice) in pieces { append(slice, [], to: &events) }
        return events
    }

    /// What to send as `after_seq` for the next page forwards; `null` if there is none.
    var afterSeq: String {
        guard hasMore, let through else { return "null" }
        return String(through)
    }

    private func append(_ slice: BlockSlice, _ topics: [TopicPattern], to events: inout ByteBuffer) {
        let block = slice.block
        for index in slice.range {
            guard topics.cover(escaped: block.bytes[block.entries[index].topic]) else { continue }
            if events.readableBytes > 0 { events.writeStaticString(",") }
            events.writeBytes(block.json(at: index))
        }
    }

    private func append(_ batch: EventBatch, _ topics: [TopicPattern], to events: inout ByteBuffer) {
        for item in batch.items {
            guard topics.cover(escaped: batch.bytes[item.topic]) else { continue }
            if events.readableBytes > 0 { events.writeStaticString(",") }
            let file = item.context >= 0 ? batch.contexts[Int(item.context)].file : ""
            var id: [UInt8] = []
            JSONText.appendString("evt_\(session)-\(file)@\(item.offset)", to: &id)
            events.writeString(#"{"id":"#)
            events.writeBytes(id)
            events.writeString(#","seq":null,"session_id":"\#(session)","#)
            events.writeBytes(batch.bytes[item.members])
            events.writeStaticString("}")
        }
    }
}
