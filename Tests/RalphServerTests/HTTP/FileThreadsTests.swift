import RalphTestSupport
import RalphWire
import Synchronization
import Testing

@testable import RalphServer

/// Looks at files that lie where nothing answers.
@Suite(.timeLimit(.minutes(1)))
struct FileThreadsTests {
    private let threads = FileThreads(most: 8)

    @Test func `a place that does not answer is not waited for, and none waits for it`() async throws {
        let gate = try await threads.hold("silent")
        defer { gate.open() }
        try await eventually(within: .seconds(10), "silence") {
            do {
                try await threads.run(at: "silent", within: .milliseconds(10)) {}
                return false
            } catch let problem as Problem where problem == .fileSystemSilent {
                return true
            }
        }
        #expect(try await threads.run(at: "other") { 7 } == 7)
        let all = try await threads.map(["other", "silent", "third"]) { $0 }
        #expect(try all[0].get() == "other" && all[2].get() == "third")
        #expect(throws: Problem.fileSystemSilent) { try all[1].get() }
        #expect(!gate.isOpen)

        gate.open()
        try await eventually(within: .seconds(10), "an answer again") {
            // Until those that waited have ended it is refused.
            (try? await threads.run(at: "silent") { 8 }) == 8
        }
    }

    @Test func `where jobs wait for each other one that takes long is proof enough`() async throws {
        let threads = FileThreads(most: 8, silence: .milliseconds(10))
        let gate = ThreadGate(within: .seconds(30))
        defer { gate.open() }
        try await eventually(within: .seconds(10), "a job that works") {
            // One that is not begun in time is not done.
            if gate.kept == 0 {
                try? await threads.run(at: "slow", within: .milliseconds(10)) { gate.pass() }
            }
            return gate.kept > 0
        }
        try await eventually(within: .seconds(10), "silence") {
            do {
                try await threads.run(at: "slow", proof: 1) {}
                return false
            } catch let problem as Problem where problem == .fileSystemSilent {
                return true
            }
        }
        #expect(try await threads.run(at: "slow") { 7 } == 7)
    }

    @Test func `what is not begun in time is not done`() async throws {
        let gate = try await threads.hold("silent")
        defer { gate.open() }
        let done = Mutex(false)
        await #expect(throws: Problem.fileSystemSilent) {
            try await threads.run(at: "silent", within: .milliseconds(1)) { done.withLock { $0 = true } }
        }
        gate.open()
        try await eventually(within: .seconds(10), "an answer again") {
            // Until those that waited have ended it is refused.
            (try? await threads.run(at: "silent") { 8 }) == 8
        }
        #expect(!done.withLock { $0 })
    }

    @Test func `a change that was begun is waited for, and its answer is true`() async throws {
        let gate = ThreadGate(within: .seconds(30))
        defer { gate.open() }
        let change = Task { try await threads.change(at: "silent") { gate.pass() } }
        try await eventually(within: .seconds(10), "a change that waits") { gate.kept == 1 }
        change.cancel()
        gate.open()
        try await change.value
    }

    @Test func `what lies on one mount that may not answer is one place`() async throws {
        let threads = FileThreads(
            most: 8, mounts: SilentMounts { "server:/x /net/x nfs4 rw 0 0\n/dev/vda / ext4 rw 0 0\n" })
        let gate = try await threads.hold("/net/x/one")
        defer { gate.open() }
        for place in ["/net/x/one", "/net/x/two"] {
            await #expect(throws: Problem.fileSystemSilent) {
                try await threads.run(at: place, within: .milliseconds(10)) {}
            }
        }
        #expect(try await threads.run(at: "/net/y") { 7 } == 7)
    }

    @Test func `what a job throws is thrown`() async {
        await #expect(throws: Problem.memoriesNotFound) {
            try await threads.run(at: "a") { throw Problem.memoriesNotFound }
        }
    }
}
