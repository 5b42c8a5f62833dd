import Foundation
import Logging
import RalphFeed
import RalphWire

/// A feed in a directory of its own, and events to put into it.
struct Fixture {
    let directory: String
    let feed: EventFeed
    let session = SessionID(digestPrefix: 0x0123_4567_89AB_CDEF)

    /// - Parameter memoryBytes: what the feed keeps in memory; little of it makes replay read the store.
    init(ring: Int = 1000, memoryBytes: Int = 32 << 20) throws {
        directory = NSTemporaryDirectory() + "ralph-benchmark-" + UUID().uuidString
        var configuration = FeedConfiguration(path: directory + "/events.sqlite")
        configuration.ring = ring
        configuration.memoryBytes = memoryBytes
        feed = try EventFeed(configuration, logger: Self.logger)
    }

    /// Says nothing: logging is not what is measured.
    static var logger: Logger { Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() } }

    /// Stores `count` events of about 300 bytes in one transaction.
    func append(_ count: Int) throws {
        try feed.append([SessionAppend(id: session, directory: directory, batch: Self.batch(of: count))])
    }

    /// Closes the feed and removes what it wrote.
    func remove() {
        feed.close()
        // A left-over temporary directory harms nobody.
        try? FileManager.default.removeItem(atPath: directory)
    }

    private static func batch(of count: Int) -> EventBatch {
        let (type, topic) = ("event.published", "build.done")
        let head = #""type":"\#(type)","ts":"2026-02-05T10:30:45.123Z","topic":"#
        let rest = #","iteration":5,"hat":"builder","source":"engine","payload":""#
        let payload = String(repeating: "x", count: 180)
        let members = Array((head + #""\#(topic)""# + rest + payload + #"""#).utf8)
        var batch = EventBatch()
        let context = batch.contextIndex(
            .init(file: "events.jsonl", generation: 0, iteration: 5, hat: "builder"))
        for index in 0..<count {
            let start = batch.bytes.count
            batch.bytes += members
            let typeStart = start + #""type":""#.utf8.count
            let topicStart = start + head.utf8.count + 1
            batch.items.append(
                .init(
                    members: start..<batch.bytes.count, topic: topicStart..<topicStart + topic.utf8.count,
                    type: typeStart..<typeStart + type.utf8.count, timestamp: 1_770_287_445_123,
                    origin: .engine, offset: Int64(index * 300), context: context))
        }
        return batch
    }
}
