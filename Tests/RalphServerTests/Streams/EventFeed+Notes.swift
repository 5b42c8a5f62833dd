import Logging
import RalphFeed
import RalphTestSupport
import RalphWire
import Testing

extension EventFeed {
    /// A feed with 400 events of `session`, of which the ring has 100 and memory more, and the oldest that memory has.
    static func reachingBehindRing(
        in directory: TemporaryDirectory, _ session: SessionID
    ) throws -> (feed: EventFeed, oldest: Int64) {
        var configuration = FeedConfiguration(path: directory.path + "/feed.sqlite")
        configuration.ring = 100
        configuration.memoryBytes = 250 * 4300
        let feed = try EventFeed(configuration, logger: Logger(label: "test"))
        for _ in 0..<20 { try feed.appendNotes(20, of: 4096, to: session) }
        var oldest: Int64?
        if case .older(let first) = feed.recent(session, after: 0, limitBytes: 1) { oldest = first }
        let first = try #require(oldest, "memory has everything")
        #expect((101...290).contains(first) && feed.head(of: session)?.firstKept == 301)
        return (feed, first)
    }

    /// Appends `count` events of the server's own with payloads of `bytes` each to `session`: no file holds them. The first
    /// one is dated `time`, and each further one `step` later, in milliseconds.
    func appendNotes(
        _ count: Int, of bytes: Int = 1, to session: SessionID, at time: Int64 = 1_770_000_000_000,
        every step: Int64 = 0
    ) throws {
        var batch = EventBatch()
        let padding = String(repeating: "x", count: bytes)
        for number in 0..<count {
            let start = batch.bytes.count
            batch.bytes += Array(#""type":"server.note","topic":"note","payload":"\#(padding)""#.utf8)
            batch.items.append(
                EventBatch.Item(
                    members: start..<batch.bytes.count, topic: start + 29..<start + 33,
                    type: start + 8..<start + 19, timestamp: time + Int64(number) * step, origin: .server,
                    offset: -1, context: -1))
        }
        try append([SessionAppend(id: session, directory: "/w/.ralph", batch: batch)])
    }
}
