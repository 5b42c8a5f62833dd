import Foundation
import Logging
import RalphTestSupport
import RalphWire

@testable import RalphFeed

/// Sessions `0000000000000001`, …
func session(_ number: UInt64) -> SessionID { SessionID(digestPrefix: number) }

/// `count` engine events of one file, the first of which has `first` in its payload and begins at `first` * 100.
func batch(_ count: Int, first: Int = 0, file: String = "events.jsonl", padding: Int = 0) -> EventBatch {
    var batch = EventBatch()
    let context = batch.contextIndex(
        EventBatch.Context(file: file, generation: 0, iteration: 1, hat: "builder"))
    for number in first..<first + count {
        let place = (offset: Int64(number) * 100, context: context)
        batch.add(payload: "\(number)" + String(repeating: "x", count: padding), place: place)
    }
    return batch
}

extension EventBatch {
    /// Adds an event with `payload`, of a file if there is a `place`, else of the server.
    mutating func add(payload: String, place: (offset: Int64, context: Int32)?) {
        let start = bytes.count
        bytes += Array(#""type":"event.published","topic":"build.done","payload":"\#(payload)""#.utf8)
        items.append(
            Item(
                members: start..<bytes.count, topic: start + 34..<start + 44, type: start + 8..<start + 23,
                timestamp: 1_770_000_000_000 + Int64(items.count), origin: place == nil ? .server : .engine,
                offset: place?.offset ?? -1, context: place?.context ?? -1))
    }
}

/// An append of `batch` to session `number`.
func append(
    _ batch: EventBatch, to number: UInt64 = 1, checkpoints: [String: [UInt8]] = [:], state: [UInt8]? = nil
) -> SessionAppend {
    SessionAppend(
        id: session(number), directory: "/w\(number)/.ralph", batch: batch, checkpoints: checkpoints,
        state: state)
}

/// Settings for a store in `directory` with a ring of 100.
func settings(_ directory: TemporaryDirectory) -> FeedConfiguration {
    var configuration = FeedConfiguration(path: directory.path + "/state/feed.sqlite")
    configuration.ring = 100
    return configuration
}

/// Runs `body` with an open feed and closes it.
func withFeed<Result>(
    _ configuration: FeedConfiguration, _ body: (EventFeed) throws -> Result
) throws -> Result {
    let feed = try EventFeed(configuration, logger: Logger(label: "test"))
    defer { feed.close() }
    return try body(feed)
}

extension EventFeed {
    /// Moves the write-ahead log into the database now, and empties it unless a reader is in the way.
    func checkpointWAL() {
        settle()
        checkpointer.truncate()
    }
}

extension RecentEvents {
    /// The slices; none for the other answers.
    var slices: [BlockSlice] {
        if case .blocks(let slices) = self { return slices }
        return []
    }

    var bytes: [UInt8] { slices.flatMap { Array($0.bytes) } }
}

extension [EventBlock] {
    var bytes: [UInt8] { flatMap { $0.bytes } }
    var seqs: [Int64] { flatMap { block in [Int64](block.firstSeq...block.lastSeq) } }
    var globalIDs: [Int64] { flatMap { $0.entries.map(\.globalID) } }
}

/// All stored events of all sessions, read in pages of `limit`.
func allGlobal(_ feed: EventFeed, after: Int64 = 0, limit: Int = 7) throws -> [EventBlock] {
    var blocks: [EventBlock] = []
    var cursor = after
    while true {
        let page = try feed.storedGlobal(after: cursor, limit: limit)
        guard let last = page.last else { return blocks }
        blocks += page
        cursor = last.lastGlobalID
    }
}
