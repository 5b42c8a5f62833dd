import Foundation
import Logging
import RalphTestSupport
import RalphWire

@testable import RalphFeed

/// A feed and the index that follows it, on a thread of its own.
struct SearchScene {
    let feed: EventFeed
    let index: SearchIndex

    /// The payloads' texts of what `text` finds, newest first.
    func find(_ text: String, _ change: (inout SearchRequest) -> Void = { _ in }) throws -> [String] {
        try page(text, change).hits.map { hit in
            let object = try JSONSerialization.jsonObject(with: Data(hit.event)) as? [String: Any]
            return object?["payload"] as? String ?? ""
        }
    }

    func page(_ text: String, _ change: (inout SearchRequest) -> Void = { _ in }) throws -> SearchPage {
        var request = SearchRequest(try SearchQuery(text), deadline: .now + .seconds(50))
        change(&request)
        return try index.search(request)
    }

    /// Appends one event for each payload, which must be JSON string text.
    func append(_ payloads: String..., to session: UInt64 = 1) throws {
        var batch = EventBatch()
        for payload in payloads { batch.add(payload: payload, place: nil) }
        try feed.append([RalphFeedTests.append(batch, to: session)])
    }

    /// Waits until every stored event is in the index.
    func waitForIndex() async throws {
        try await eventually(within: .seconds(30), "index") {
            let report = index.report
            return report.mode != nil && report.behind == 0
        }
    }
}

/// Where the index of ``settings(_:)`` lies.
func searchSettings(_ directory: TemporaryDirectory) -> SearchConfiguration {
    var configuration = SearchConfiguration(path: directory.path + "/state/search.sqlite")
    configuration.gathering = .milliseconds(1)
    configuration.retry = .milliseconds(10)
    return configuration
}

/// Runs `body` beside an index, and ends both.
func withSearch<Result>(
    in directory: TemporaryDirectory, _ change: (inout SearchConfiguration) -> Void = { _ in },
    ring: Int = 100, logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
    _ body: (SearchScene) async throws -> Result
) async throws -> Result {
    var feedSettings = settings(directory)
    feedSettings.ring = ring
    var configuration = searchSettings(directory)
    change(&configuration)
    let feed = try EventFeed(feedSettings, logger: logger)
    let index = SearchIndex(configuration, feed: feed, logger: logger, isHeld: false)
    let finished = DispatchSemaphore(value: 0)
    let thread = Thread {
        index.run()
        finished.signal()
    }
    thread.start()
    defer {
        if !index.stop() { finished.wait() }
        index.close()
        feed.close()
    }
    return try await body(SearchScene(feed: feed, index: index))
}
