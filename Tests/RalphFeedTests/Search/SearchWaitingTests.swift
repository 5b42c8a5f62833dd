import Dispatch
import Foundation
import GRDB
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphFeed

/// When the index takes events in, and what a search waits for.
@Suite(.timeLimit(.minutes(1)))
struct SearchWaitingTests {
    @Test func `a search finds what was stored before it`() async throws {
        try await withTemporaryDirectory { directory in
            try await withSearch(in: directory, lazy) { scene in
                try await eventually(within: .seconds(30), "index") { scene.index.report.mode != nil }
                for number in 1...3 {
                    try scene.append("fresh\(number)")
                    let page = try scene.page("fresh\(number)")
                    #expect((page.hits.count, page.behind) == (1, 0))
                }
            }
        }
    }

    @Test func `what has left its ring before somebody searches is never taken in`() async throws {
        try await withTemporaryDirectory { directory in
            try await withSearch(in: directory, lazy) { scene in
                try await eventually(within: .seconds(30), "index") { scene.index.report.mode != nil }
                try scene.feed.append([append(batch(1000))])

                #expect(try scene.find("999") == ["999"])
                #expect((scene.index.report.indexed, scene.index.report.skipped) == (100, 900))
            }
        }
    }

    @Test func `many events are taken in although more come`() async throws {
        try await withTemporaryDirectory { directory in
            try await withSearch(
                in: directory,
                {
                    lazy(&$0)
                    $0.manyEvents = 50
                }
            ) { scene in
                try await eventually(within: .seconds(30), "index") { scene.index.report.mode != nil }
                try scene.feed.append([append(batch(60))])
                try await scene.waitForIndex()
            }
        }
    }

    @Test func `a page of older events waits for none that came later`() async throws {
        try await withTemporaryDirectory { directory in
            try await withSearch(in: directory, lazy) { scene in
                try await eventually(within: .seconds(30), "index") { scene.index.report.mode != nil }
                try scene.append("first")
                let next = try #require(try scene.page("first").hits.first?.globalID) + 1
                let lock = try Lock(searchSettings(directory).path)
                defer { try? lock.release() }  // the file goes with the directory
                try scene.append("second")

                #expect(try scene.page("first") { $0.before = next }.behind == 1)
            }
        }
    }

    @Test func `a search waits no longer than its patience and says how far the index is behind`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            try await withSearch(
                in: directory,
                {
                    lazy(&$0)
                    $0.patience = .milliseconds(50)
                }
            ) { scene in
                try scene.append("first")
                try await eventually(within: .seconds(30), "index") { try scene.find("first").count == 1 }
                let lock = try Lock(searchSettings(directory).path)
                try scene.append("second")
                #expect(try scene.page("second").behind == 1)
                #expect(try scene.find("first") == ["first"])

                try lock.release()
                try await eventually(within: .seconds(30), "hit") { try scene.find("second").count == 1 }
            }
        }
    }

    @Test func `the end of the index ends the waits of searches`() async throws {
        try await withTemporaryDirectory { directory in
            try await withSearch(in: directory, lazy) { scene in
                try scene.append("first")
                try await eventually(within: .seconds(30), "index") { try scene.find("first").count == 1 }
                let lock = try Lock(searchSettings(directory).path)
                defer { try? lock.release() }  // the file goes with the directory
                try scene.append("second")
                let ended = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    _ = try? scene.page("second")  // how it ends is open: with what there is, or broken off
                    ended.signal()
                }
                // A search that comes when the index has given the lock up waits for nothing.
                try? await eventually(within: .seconds(3), "a search that waits") { scene.index.isHurried }
                _ = scene.index.stop()

                #expect(ended.wait(timeout: .now() + .seconds(20)) == .success)
            }
        }
    }

    /// Nothing is taken in unless somebody searches.
    private func lazy(_ settings: inout SearchConfiguration) {
        (settings.gathering, settings.manyEvents, settings.patience) = (.seconds(3600), .max, .seconds(50))
    }

    /// Keeps everybody else from writing to a database.
    private struct Lock {
        private let queue: DatabaseQueue

        init(_ path: String) throws {
            var settings = Configuration()
            settings.allowsUnsafeTransactions = true
            settings.busyMode = .timeout(20)
            queue = try DatabaseQueue(path: path, configuration: settings)
            try queue.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
        }

        func release() throws {
            try queue.inDatabase { try $0.execute(sql: "ROLLBACK") }
        }
    }
}
