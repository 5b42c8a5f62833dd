import Dispatch
import Logging
import RalphFeed
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct SearchServiceTests {
    @Test func `more searches than the limit are refused and the others get their answer`() async throws {
        try await withService { service, feed in
            try feed.append([Self.event])
            try await eventually(within: .seconds(10), "index") {
                service.report.mode != nil && service.report.behind == 0
            }
            let gate = DispatchSemaphore(value: 0)
            var request = SearchRequest(try SearchQuery("word"), deadline: .now + .seconds(60))
            request.wantsTopic = { _ in
                gate.wait()
                gate.signal()
                return true
            }
            let blocked = request
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<SearchService.maximumSearches {
                    group.addTask { try await service.search(blocked).hits.count }
                }
                try await eventually(within: .seconds(10), "all under way") {
                    service.count == SearchService.maximumSearches
                }
                await #expect(throws: Problem.searchBusy) { try await service.search(blocked) }
                gate.signal()
                #expect(try await group.reduce(0, +) == SearchService.maximumSearches)
            }
        }
    }

    @Test func `a search that takes too long is a 503`() async throws {
        try await withService { service, feed in
            try await eventually(within: .seconds(10), "index") { service.report.mode != nil }
            let request = SearchRequest(try SearchQuery("word"), deadline: .now)
            await #expect(throws: SearchError.timeout) { try await service.search(request) }
            let problem = Problem(any: SearchError.timeout)
            #expect((problem.status, problem.error) == (503, "search_timeout"))
        }
    }

    @Test func `nothing is taken in before the first scan is over and everything behind it`() async throws {
        let scan = Landing<Void>()
        try await withService(firstScan: { await scan.value(within: .seconds(30), otherwise: ()) }) {
            service, feed in
            try await eventually(within: .seconds(10), "index") { service.report.mode != nil }
            try feed.append([Self.event])
            let request = SearchRequest(try SearchQuery("word"), deadline: .now + .seconds(60))
            #expect(try await service.search(request).hits.isEmpty)
            #expect(service.report.behind == 1)

            scan.settle(())
            try await eventually(within: .seconds(10), "events") { service.report.behind == 0 }
            #expect(try await service.search(request).hits.count == 1)
        }
    }

    @Test(
        arguments: [
            ("10m", 1_000_000_000_000 - 600_000), ("2h", 1_000_000_000_000 - 7_200_000),
            ("1770000000", 1_770_000_000_000), ("253402300799", 253_402_300_799_000),
            ("2026-11-21T03:20:36Z", 1_795_231_236_000),
        ] as [(String, Int64)])
    func `points in time are read`(_ text: String, _ expected: Int64) {
        #expect(PointInTime.parse(text, now: 1_000_000_000_000) == expected)
    }

    @Test(arguments: [
        "", "5", "999999999", "-1", "m", "10x", "1795231236000", "253402300800", "9223372036854775808",
        "99999999999d", "yesterday",
    ])
    func `what is no point in time is none`(_ text: String) {
        #expect(PointInTime.parse(text, now: 0) == nil)
    }

    private static var event: SessionAppend {
        var batch = EventBatch()
        batch.bytes = Array(#""type":"event.published","topic":"build.done","payload":"word""#.utf8)
        batch.items.append(
            EventBatch.Item(
                members: 0..<batch.bytes.count, topic: 34..<44, type: 8..<23, timestamp: 0, origin: .server,
                offset: -1, context: -1))
        return SessionAppend(
            id: SessionID(digestPrefix: 1), directory: "/w/.ralph", batch: batch, checkpoints: [:], state: nil
        )
    }

    /// - Parameter firstScan: `nil`: the index is not held.
    private func withService(
        firstScan: (@Sendable () async -> Void)? = nil,
        _ body: @Sendable @escaping (SearchService, EventFeed) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let feed = try EventFeed(FeedConfiguration(path: directory.path + "/s/e.sqlite"), logger: logger)
            defer { feed.close() }
            let configuration = SearchConfiguration(path: directory.path + "/s/search.sqlite")
            let index = SearchIndex(configuration, feed: feed, logger: logger, isHeld: firstScan != nil)
            let service = SearchService(index: index, firstScan: firstScan ?? {})
            try await withRunning("the search") {
                try await service.run()
            } _: {
                try await body(service, feed)
            }
        }
    }
}
