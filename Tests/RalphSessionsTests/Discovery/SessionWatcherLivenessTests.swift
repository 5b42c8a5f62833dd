import Foundation
import RalphTestSupport
import Testing

@testable import RalphSessions

@Suite(.timeLimit(.minutes(1))) struct SessionWatcherLivenessTests {
    @Test func `a found session's liveness is told at once`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            let fixture = try SessionWatcherFixture(directory)

            fixture.step()

            #expect(fixture.liveness[fixture.id("p/.ralph")] == SessionLiveness())
        }
    }

    @Test func `a lock that is taken while newcomers wait to be read is noticed`() async throws {
        try await withTemporaryDirectory { directory in
            for name in ["p1", "p2", "p3"] { try directory.makeWorkspace(name) }
            let fixture = try SessionWatcherFixture(directory) { $0.firstSightsPerStep = 1 }
            let last = fixture.id("p3/.ralph")
            fixture.step()
            #expect(fixture.foundNames() == ["p1/.ralph"])

            let file = directory.path + "/p3/.ralph/loop.lock"
            let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            defer { close(descriptor) }
            #expect(flock(descriptor, LOCK_EX) == 0)

            try await fixture.until("held") { $0.liveness[last]?.pid == getpid() }
            #expect(fixture.found.count == 3)
        }
    }

    @Test func `a lock that was taken before a session is found is told with it`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p1")
            let fixture = try SessionWatcherFixture(directory)
            fixture.step()
            try directory.makeWorkspace("p2")
            let descriptor = open(
                directory.path + "/p2/.ralph/loop.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            defer { close(descriptor) }
            #expect(flock(descriptor, LOCK_EX) == 0)

            try await fixture.until("found") { $0.found.count == 2 }

            #expect(fixture.liveness[fixture.id("p2/.ralph")]?.pid == getpid())
        }
    }

    @Test func `a lock that is taken and dropped is noticed`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            let fixture = try SessionWatcherFixture(directory)
            let id = fixture.id("p/.ralph")
            fixture.step()

            let file = directory.path + "/p/.ralph/loop.lock"
            let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            #expect(flock(descriptor, LOCK_EX) == 0)
            try directory.write("p/.ralph/loop.lock", "{}")
            try await fixture.until("held") { $0.liveness[id]?.pid == getpid() }
            close(descriptor)
            try await fixture.until("dropped") { $0.liveness[id]?.lockHeld == false }
        }
    }

    @Test func `all are looked at in their turn, a few in each step`() async throws {
        try await withTemporaryDirectory { directory in
            for number in 0..<10 { try directory.makeWorkspace("p\(number)") }
            let fixture = try SessionWatcherFixture(directory) { $0.liveLooksPerStep = 3 }
            let watcher = fixture.watcher
            try await fixture.until("rest") { fixture in
                fixture.found.count == 10 && watcher.livenessRest.isEmpty && watcher.livenessSoon == nil
                    && watcher.livenessWanted.isEmpty && watcher.livenessAsked.isEmpty
                    && !watcher.isEverybodyDue && !watcher.isEverybodyAsked
            }

            for session in watcher.followed.values { session.liveness?.isSuspended = true }
            watcher.livenessDue = watcher.clock.now
            var told: [Int] = []
            try await eventually(within: .seconds(20), "all") {
                told.append(watcher.next(timeout: .milliseconds(20)).liveness.count)
                return told.reduce(0, +) == 10
            }

            #expect(told.filter { $0 > 0 } == [3, 3, 3, 1])
            #expect(told.drop { $0 == 0 }.count == 4)
        }
    }

    @Test(arguments: ["suspend-state.json", "stop-requested", "pause-requested"])
    func `control files that come and go are noticed`(name: String) async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            let fixture = try SessionWatcherFixture(directory)
            let id = fixture.id("p/.ralph")
            let isSet: (SessionWatcherFixture) -> Bool? = { fixture in
                fixture.liveness[id].map { $0.isSuspended || $0.isStopRequested || $0.isPauseRequested }
            }
            fixture.step()

            try directory.write("p/.ralph/" + name, "{}")
            try await fixture.until("set") { isSet($0) == true }
            try directory.remove("p/.ralph/" + name)
            try await fixture.until("unset") { isSet($0) == false }
        }
    }

    @Test func `a question's file is noticed while somebody waits for the answer`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            let fixture = try SessionWatcherFixture(directory)
            let id = fixture.id("p/.ralph")
            try directory.write("p/.ralph/loop.lock", "{}")
            try directory.write("p/.ralph/api/robot-question.json", "{}")
            fixture.step()
            #expect(fixture.liveness[id]?.questionWrittenAt == nil)

            let descriptor = open(directory.path + "/p/.ralph/loop.lock", O_RDWR | O_CLOEXEC)
            defer { close(descriptor) }
            #expect(flock(descriptor, LOCK_EX) == 0)
            try await fixture.until("asked") { $0.liveness[id]?.questionWrittenAt != nil }
            let first = fixture.liveness[id]?.questionWrittenAt
            try directory.write("p/.ralph/api/robot-question.json", "{ }")
            try await fixture.until("asked anew") { $0.liveness[id]?.questionWrittenAt != first }
            try directory.remove("p/.ralph/api/robot-question.json")
            try await fixture.until("answered") { $0.liveness[id]?.questionWrittenAt == nil }
        }
    }

    @Test func `a worktree's run is noticed in the main workspace's registry`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.copySample("e-parallel-worktrees/while-running", to: "e")
            let fixture = try SessionWatcherFixture(directory)
            let id = fixture.id("e/.worktrees/fair-rose/.ralph")
            fixture.step()
            #expect(fixture.liveness[id]?.lockHeld == false)

            let entry = #"{"id":"fair-rose","pid":\#(getpid()),"started":"2999-01-01T00:00:00Z"}"#
            try directory.write("e/.ralph/loops.json", #"{"loops":[\#(entry)]}"#)

            try await fixture.until("alive") { $0.liveness[id]?.lockHeld == true }
        }
    }
}
