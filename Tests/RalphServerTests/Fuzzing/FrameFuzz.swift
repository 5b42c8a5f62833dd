import NIOCore
import RalphFeed
import RalphSessions
import RalphWire

@testable import RalphServer

/// Events on their way to a client: whatever is inside them, it gets those events and no others.
///
/// Input: session, first seq, options; then the query of a stream, and data or lines of an events file.
enum FrameFuzz {
    static func run(_ input: FuzzInput) throws(FuzzFinding) {
        var input = input
        let session = SessionID(digestPrefix: input.number())
        let seq = Int64(bitPattern: input.number() >> 2)
        let query = input.text()
        let data = Array(input.rest)
        try checkNotices(at: seq, query: query)
        try checkChunk(data)
        let batch = narrate(data)
        for block in EventBlock.blocks(
            of: batch, session: session, firstSeq: seq + 1, globalIDs: { Int64($0) })
        {
            try checkShared(block)
            try checkRendered(block, query: query)
        }
    }

    private static func narrate(_ bytes: [UInt8]) -> EventBatch {
        var narrator = SessionNarrator(state: SessionState(), workspace: nil)
        var batch = EventBatch()
        for line in bytes.split(separator: 0x0A) {
            line.withUnsafeBytes { line in
                narrator.readEngineLine(
                    line, file: "e", generation: 0, offset: 0, fileTime: 0, into: &batch)
            }
        }
        return batch
    }

    /// What a stream says beside its events: an event of that name for who asked for such, else nothing.
    private static func checkNotices(at seq: Int64, query: String) throws(FuzzFinding) {
        guard let options = options(.serverSentEvents, query) else { return }
        let renderer = StreamRenderer(options: options)
        var buffer = renderer.keepAlive
        renderer.appendOpening(to: &buffer)
        renderer.append(StreamGap(from: seq, to: seq + 1, reason: .retention), to: &buffer)
        renderer.appendSynced(head: seq, epoch: "0123abcd", to: &buffer)
        renderer.appendRetry(milliseconds: Int(seq), to: &buffer)
        let read = EventStreamText(buffer.readableBytesView)
        try promise(read.retries == [Array("2000".utf8), Array("\(seq)".utf8)], "retries: \(read.retries)")
        try promise(read.lastEventID.isEmpty, "a notice has no id: \(read.events)")
        var told = ByteBuffer()
        renderer.appendID(seq, to: &told)
        told.writeImmutableBuffer(renderer.keepAlive)
        let alone = EventStreamText(told.readableBytesView)
        try promise(alone.lastEventID == Array("\(seq)".utf8), "the cursor: \(alone.lastEventID)")
        try promise(alone.events.isEmpty, "a cursor is no event: \(alone.events)")
        guard options.sendsControlEvents else {
            return try promise(read.events.isEmpty, "a comment says nothing: \(read.events)")
        }
        try promise(
            read.events.map(\.name) == [Array("gap".utf8), Array("synced".utf8)], "names: \(read.events)")
        for (event, member) in zip(read.events, ["from", "head"]) {
            let number = try EventPromises.object(event.data)[member] as? Int64
            try promise(number == seq, "\(member) of \(event)")
        }
    }

    /// A chunk of data is that data (RFC 9112, 7.1).
    private static func checkChunk(_ data: [UInt8]) throws(FuzzFinding) {
        let chunk = ChunkFraming.chunk(capacity: 16) { $0.writeBytes(data) }
        let bytes = Array(chunk.readableBytesView)
        guard !data.isEmpty else { return try promise(bytes.isEmpty, "an empty chunk would end the body") }
        let size = Int(String(decoding: bytes.prefix { $0 != 0x0D }, as: UTF8.self), radix: 16)
        try promise(size == data.count, "the size of a chunk of \(data.count) bytes: \(bytes.prefix(12))")
        try promise(bytes.dropFirst(8).starts(with: [0x0D, 0x0A] + data), "the data of a chunk")
        try promise(
            bytes.count == 10 + data.count + 2 && bytes.suffix(2) == [0x0D, 0x0A], "the end of a chunk")
    }

    /// The frames that all plain streams of a session share.
    private static func checkShared(_ block: EventBlock) throws(FuzzFinding) {
        let read = EventStreamText(block.bytes)
        try promise(
            read.retries.isEmpty && read.events.count == block.count, "events of a block: \(block.bytes)")
        for (index, event) in read.events.enumerated() {
            let seq = block.firstSeq + Int64(index)
            try promise(event.id == Array("\(seq)".utf8), "id of event \(seq)")
            try promise(event.name == Array("workflow".utf8), "name of event \(seq)")
            try promise(event.data == Array(block.json(at: index)), "data of event \(seq)")
            let object = try EventPromises.object(event.data)
            try promise(object["id"] as? String == "evt_\(block.session)-\(seq)", "evt id of event \(seq)")
            try promise(object["session_id"] as? String == block.session.rawValue, "session of event \(seq)")
        }
    }

    /// What a stream of these options gets of `block`.
    private static func checkRendered(_ block: EventBlock, query: String) throws(FuzzFinding) {
        for form in [StreamOptions.Form.serverSentEvents, .newlineDelimited] {
            guard let options = options(form, query) else { return }
            var buffer = ByteBuffer()
            StreamRenderer(options: options).append(
                BlockSlice(block: block, range: 0..<block.count), to: &buffer)
            let bytes = Array(buffer.readableBytesView)
            let wanted = block.entries.indices.filter { index in
                options.topics.isEmpty
                    || options.topics.contains { $0.matches(block.bytes[block.entries[index].topic]) }
            }
            let objects =
                form == .newlineDelimited
                ? bytes.split(separator: 0x0A).map(Array.init) : EventStreamText(bytes).events.map(\.data)
            try promise(objects.count == wanted.count, "events of a stream: \(bytes)")
            for (object, index) in zip(objects, wanted) {
                let id = try EventPromises.object(object)["id"] as? String
                try promise(
                    id == "evt_\(block.session)-\(block.firstSeq + Int64(index))", "order of a stream")
            }
        }
    }

    /// `nil`: the query asks for none, and there is no stream.
    private static func options(_ form: StreamOptions.Form, _ query: String) -> StreamOptions? {
        // A query that is refused has no options.
        guard let items = try? QueryItems(query[...]) else { return nil }
        return try? StreamOptions(source: .all, form: form, query: items, lastEventID: nil, now: 0)
    }
}
