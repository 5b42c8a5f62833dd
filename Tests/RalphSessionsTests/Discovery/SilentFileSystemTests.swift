import RalphTestSupport
import Synchronization
import Testing

@testable import RalphSessions

/// Sessions that lie where inotify does not tell what others do.
@Suite(.timeLimit(.minutes(1))) struct SilentFileSystemTests {
    private static let events = ".ralph/events-20260101-000000.jsonl"

    /// What is said to be a network mount: directories named `net`, and what is below.
    private static func kind(_ path: String) -> FileSystemKind? {
        path.split(separator: "/").contains("net") ? .network("nfs4") : .local
    }

    @Test func `new lines, runs and sessions come though inotify is silent`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("net/a")
            let fixture = try SessionWatcherFixture(directory) {
                $0.rescanInterval = .seconds(1000)
                $0.looksPerStep = 0
                $0.fileSystem = Self.kind
            }
            let id = fixture.id("net/a/.ralph")
            try await fixture.until("the session, polled") { $0.report.polled == [id] }
            #expect(fixture.watcher.mode(of: id) == .poll)
            #expect(fixture.report.unwatched.isEmpty)
            #expect(fixture.report.unwatchedDirectories > 0)

            fixture.isDeaf = true
            try directory.append("net/a/" + Self.events, TemporaryDirectory.line("a"))
            try await fixture.until(within: .seconds(5), "the line") { $0.events[id] == 2 }
            try directory.makeWorkspace("net/b")
            try await fixture.until(within: .seconds(5), "the new session") {
                $0.events[$0.id("net/b/.ralph")] == 1
            }
            try directory.makeWorkspace("net/a", run: "20260102-000000")
            try await fixture.until(within: .seconds(5), "the new run") {
                $0.events[id] == 3 && $0.changed.last?.loopID == "primary-20260102-000000"
            }

            try await fixture.until(within: .seconds(5), "both polled") { $0.report.polled.count == 2 }
        }
    }

    @Test func `what comes from this machine need not wait for the poll`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("net/a")
            let fixture = try SessionWatcherFixture(directory) {
                $0.rescanInterval = .seconds(1000)
                $0.pollInterval = .seconds(1000)
                $0.looksPerStep = 0
                $0.fileSystem = Self.kind
            }
            let id = fixture.id("net/a/.ralph")
            try await fixture.until("the session, polled") { $0.report.polled == [id] }
            for _ in 0..<3 { fixture.step() }

            try directory.append("net/a/" + Self.events, TemporaryDirectory.line("a"))

            try await fixture.until("the line") { $0.events[id] == 2 }
        }
    }

    @Test
    func `a session on a disk beside a network mount is not polled, and nobody asks again what it lies on`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            for name in ["a", "net/b"] { try directory.makeWorkspace(name) }
            let asked = Asked()
            let fixture = try SessionWatcherFixture(directory) {
                $0.rescanInterval = .milliseconds(1)
                $0.fileSystem = { asked.kind(of: $0) }
            }
            try await fixture.until("both") { $0.report.polled == [$0.id("net/b/.ralph")] }
            #expect(fixture.watcher.mode(of: fixture.id("a/.ralph")) == .inotify)

            for number in 1...20 {
                try directory.append("a/" + Self.events, TemporaryDirectory.line("a"))
                try await fixture.until("line \(number)") { $0.events[$0.id("a/.ralph")] == number + 1 }
            }

            #expect(Set(asked.paths).count == asked.paths.count)
            #expect(asked.paths.count == 6)
        }
    }

    @Test func `a file system that does not say what it is counts as silent`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("a")
            let fixture = try SessionWatcherFixture(directory) { $0.fileSystem = { _ in nil } }

            try await fixture.until("the session, polled") { $0.report.polled == [$0.id("a/.ralph")] }
        }
    }

    @Test func `of many polled sessions each has its turn, a few in one step`() async throws {
        try await withTemporaryDirectory(below: "/dev/shm") { directory in
            for number in 0..<40 { try directory.makeWorkspace("net/\(number)") }
            let fixture = try SessionWatcherFixture(directory) {
                $0.rescanInterval = .seconds(1000)
                $0.pollsPerStep = 3
                $0.looksPerStep = 0
                $0.fileSystem = Self.kind
            }
            try await fixture.until("all, polled") { $0.report.polled.count == 40 && $0.found.count == 40 }

            fixture.isDeaf = true
            for number in 0..<40 {
                try directory.append("net/\(number)/" + Self.events, TemporaryDirectory.line("a"))
            }

            try await fixture.until("all lines") { $0.events.values.count { $0 == 2 } == 40 }
        }
    }

    @Test
    func `where scans take long, one that is wanted at once is made a few directories in one step, too`()
        async throws
    {
        try await withTemporaryDirectory(below: "/dev/shm") { directory in
            for number in 0..<40 { try directory.makeWorkspace("net/\(number)") }
            let looks = Looks()
            let fixture = try SessionWatcherFixture(directory) {
                $0.rescanInterval = .seconds(1000)
                $0.shortScan = .zero
                $0.fileSystem = Self.kind
                $0.agentOutput = { _ in
                    looks.add()
                    return []
                }
            }
            try await fixture.until("all") { $0.found.count == 40 }
            // The first scan is made in one step, as nothing else is to be done yet.
            var (before, most) = (looks.count, 0)
            #expect(before >= 40)
            try directory.makeWorkspace("new")
            try await fixture.until("the new session") {
                let now = looks.count
                (before, most) = (now, max(most, now - before))
                return $0.events[$0.id("new/.ralph")] == 1
            }
            #expect(most <= DiscoverySettings(roots: []).scannedPerStep)
        }
    }

    @Test func `the more quiet sessions are polled, the less often each is, every two seconds at least`() {
        let settings = DiscoverySettings(roots: [])

        #expect(settings.quietPollInterval(sessions: 1) == .milliseconds(250))
        #expect(settings.quietPollInterval(sessions: 255) == .milliseconds(250))
        #expect(settings.quietPollInterval(sessions: 1000) == .milliseconds(1750))
        #expect(settings.quietPollInterval(sessions: 20_000) == .seconds(2))
    }

    @Test func `a polled session is quiet ten seconds after the last change`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("a")
            let found = try #require(directory.scan().sessions.first)
            let session = FollowedSession(found)
            let start = ContinuousClock.now
            #expect(session.isPollDue(at: start, quiet: .seconds(2)))

            #expect(session.poll(at: start) == .all)
            #expect(session.isPollDue(at: start + .milliseconds(250), quiet: .seconds(2)))
            #expect(session.poll(at: start + .seconds(9)) == nil)
            #expect(session.isPollDue(at: start + .seconds(9.9), quiet: .seconds(2)))
            #expect(!session.isPollDue(at: start + .seconds(10), quiet: .seconds(2)))
            #expect(session.isPollDue(at: start + .seconds(11), quiet: .seconds(2)))

            try directory.append("a/" + Self.events, TemporaryDirectory.line("a"))
            #expect(session.poll(at: start + .seconds(12)) == .growing)
            #expect(session.isPollDue(at: start + .seconds(12.25), quiet: .seconds(2)))
        }
    }

    @Test func `the system is asked once for each device, and again after a second`() async throws {
        try await withTemporaryDirectory { directory in
            for name in ["a", "b"] { try directory.makeDirectory(name) }
            let asked = Asked()
            let kinds = MountedKinds { asked.kind(of: $0) }
            let start = ContinuousClock.now

            for name in ["a", "b", "a"] {
                #expect(kinds.kind(of: directory.path + "/" + name, now: start) == .local)
            }
            #expect(asked.paths.count == 1)
            #expect(kinds.kind(of: directory.path + "/b", now: start + .seconds(1)) == .local)
            #expect(asked.paths == ["a", "b"].map { directory.path + "/" + $0 })
            #expect(kinds.kind(of: directory.path + "/nowhere", now: start) == nil)
        }
    }

    #if os(Linux)
    @Test func `memory and proc are told to be local`() {
        let kinds = MountedKinds()

        #expect(kinds.kind(of: "/dev/shm") == .local)
        #expect(kinds.kind(of: "/proc") == .local)
    }
    #endif
}

/// How often sessions were looked at.
private final class Looks: Sendable {
    private let looks = Atomic(0)

    var count: Int { looks.load(ordering: .relaxed) }

    func add() { looks.add(1, ordering: .relaxed) }
}

/// Which directories it was asked of what they lie on.
private final class Asked: Sendable {
    private let asked = Mutex<[String]>([])

    var paths: [String] { asked.withLock { $0 } }

    func kind(of path: String) -> FileSystemKind? {
        asked.withLock { $0.append(path) }
        return path.hasSuffix("/net") || path.contains("/net/") ? .network("nfs4") : .local
    }
}
