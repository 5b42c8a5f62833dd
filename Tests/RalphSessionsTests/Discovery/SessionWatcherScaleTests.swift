import Foundation
import RalphTestSupport
import Testing

@testable import RalphSessions

/// Serialized: each makes thousands of files, and fills the one inotify queue that a process may fill.
@Suite(.serialized, .timeLimit(.minutes(1))) struct SessionWatcherScaleTests {
    @Test func `thousands of sessions come in bounded steps`() async throws {
        try await withTemporaryDirectory(below: "/dev/shm") { directory in
            directory.makeSessions(2000)
            let fixture = try SessionWatcherFixture(directory)

            try await fixture.until(within: .seconds(50), "all") { $0.found.count == 2000 }

            #expect(fixture.largestFirstSight == 64)
            #expect(fixture.liveness.count == 2000)
        }
    }

    @Test func `a live session does not wait until all new ones are read`() async throws {
        try await withTemporaryDirectory(below: "/dev/shm") { directory in
            try directory.makeWorkspace("000")
            directory.makeSessions(500)
            let fixture = try SessionWatcherFixture(directory) { $0.firstSightsPerStep = 10 }
            let id = fixture.id("000/.ralph")
            fixture.step()

            try directory.append("000/.ralph/events-20260101-000000.jsonl", TemporaryDirectory.line("a"))
            try await fixture.until("the live line") { $0.events[id] == 2 }

            #expect(fixture.found.count < 500)
        }
    }

    @Test func `sessions without a watch are polled, and the report says so`() async throws {
        try await withTemporaryDirectory(below: "/dev/shm") { directory in
            for name in ["a", "b", "c"] { try directory.makeWorkspace(name) }
            let fixture = try SessionWatcherFixture(directory) { $0.maximumWatches = 2 }
            try await fixture.until("all") { $0.found.count == 3 }
            #expect(fixture.report.polled == [fixture.id("c/.ralph")])
            #expect(fixture.watcher.mode(of: fixture.id("c/.ralph")) == .poll)
            #expect(fixture.watcher.mode(of: fixture.id("a/.ralph")) == .inotify)
            #expect(fixture.report.unwatchedDirectories > 0)

            for name in ["a", "c"] {
                try directory.append(
                    "\(name)/.ralph/events-20260101-000000.jsonl", TemporaryDirectory.line("x"))
            }
            try directory.makeWorkspace("d")

            try await fixture.until("their lines") {
                $0.events[$0.id("a/.ralph")] == 2 && $0.events[$0.id("c/.ralph")] == 2
                    && $0.events[$0.id("d/.ralph")] == 1
            }
        }
    }

    @Test func `what a polled session's file says comes before an iteration that may start`() async throws {
        try await withTemporaryDirectory(below: "/dev/shm") { directory in
            for name in ["a", "b"] { try directory.makeWorkspace(name) }
            let file = "b/.ralph/events-20260101-000000.jsonl"
            for topic in ["task.start", "iteration.summary"] {
                try directory.append(file, TemporaryDirectory.line(topic))
            }
            let fixture = try SessionWatcherFixture(directory) {
                $0.maximumWatches = 1
                $0.pollInterval = .seconds(60)
            }
            let id = fixture.id("b/.ralph")
            try await fixture.until("the summary") { $0.topics[id]?.contains("iteration.summary") == true }
            let before = fixture.topics[id] ?? []

            try directory.append(file, TemporaryDirectory.line("loop.terminate"))
            try await fixture.until("the end") { $0.topics[id]?.contains("loop.terminate") == true }

            #expect(fixture.report.polled == [id])
            #expect(fixture.topics[id]?.dropFirst(before.count).first == "loop.terminate")
        }
    }

    @Test func `a watch that becomes free goes to a polled session`() async throws {
        try await withTemporaryDirectory(below: "/dev/shm") { directory in
            for name in ["a", "b"] { try directory.makeWorkspace(name) }
            let fixture = try SessionWatcherFixture(directory) { $0.maximumWatches = 1 }
            try await fixture.until("one polled") { $0.report.polled == [fixture.id("b/.ralph")] }

            try directory.remove("a")

            try await fixture.until("none polled") { $0.gone.count == 1 && $0.report.polled.isEmpty }
        }
    }

    @Test func `events are read between the steps of a regular scan, and what only it sees is found`()
        async throws
    {
        try await withTemporaryDirectory(below: "/dev/shm") { directory in
            for number in 0..<40 { try directory.makeWorkspace("p\(number)") }
            let fixture = try SessionWatcherFixture(directory) {
                $0.scannedPerStep = 1
                $0.rescanInterval = .milliseconds(1)
                $0.maximumWatches = 20
            }
            try await fixture.until("all") { $0.found.count == 40 }
            try await fixture.until("a scan that goes on") { $0.watcher.scanner.isWalking }
            let id = fixture.id("p0/.ralph")
            try directory.append("p0/.ralph/events-20260101-000000.jsonl", TemporaryDirectory.line("a"))
            try await fixture.until("the line, before the scan is over") {
                $0.events[id] == 2 && $0.watcher.scanner.isWalking
            }
            try directory.makeWorkspace("p39/late")

            try await fixture.until("the late one") { $0.foundNames().contains("p39/late/.ralph") }
        }
    }

    @Test func `after an overflow of the queue nothing is missing`() async throws {
        try await withTemporaryDirectory(below: "/dev/shm") { directory in
            for name in ["p", "q"] { try directory.makeWorkspace(name) }
            let fixture = try SessionWatcherFixture(directory) { $0.rescanInterval = .seconds(1000) }
            try await fixture.until("both") { $0.found.count == 2 }

            let limit = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
            let count = try #require(Int(SessionDirectory.trimmed(limit))) / 2 + 1000
            for number in 0..<count { close(creat("\(directory.path)/p/.ralph/\(number)", 0o600)) }
            try directory.append(
                "q/.ralph/events-20260101-000000.jsonl", TemporaryDirectory.line("lost hint"))
            try directory.makeWorkspace("r")

            try await fixture.until("all") {
                $0.events[$0.id("q/.ralph")] == 2 && $0.events[$0.id("r/.ralph")] == 1
            }
        }
    }
}
