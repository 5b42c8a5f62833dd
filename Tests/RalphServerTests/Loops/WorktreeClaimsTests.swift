import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

/// Starts of runs beside merges and discards.
@Suite(.timeLimit(.minutes(1)))
struct WorktreeClaimsTests {
    private let claims = WorktreeClaims(threads: FileThreads(most: 4))
    private let loop = Loop(id: "fair-rose", isPrimary: false, workspace: "/w")

    @Test(arguments: [
        ("/w/.worktrees/fair-rose", true), ("/w/.worktrees/fair-rose/inner", true), ("/w", false),
        ("/w/.worktrees/fair-rose-2", false), ("/elsewhere/rose", true),
    ])
    func `no run is started where a job is at work`(_ workspace: String, _ isBusy: Bool) async throws {
        var loop = loop
        loop.worktree = "/elsewhere/rose"
        try await claims.beginJob(loop)
        if isBusy {
            await #expect(throws: Problem.loopBusy("fair-rose")) {
                try await claims.starting(in: workspace) {}
            }
        } else {
            try await claims.starting(in: workspace) {}
        }
        claims.endJob(loop)
        try await claims.starting(in: workspace) {}
    }

    @Test func `a merge is known in its main workspace from its claim on`() async throws {
        try await claims.beginJob(loop)
        #expect(!claims.isMerge(in: "/w"))
        claims.endJob(loop)
        try await claims.beginJob(loop, isMerge: true)
        #expect(claims.isMerge(in: "/w") && !claims.isMerge(in: "/w/.worktrees/fair-rose"))
        claims.endJob(loop)
        #expect(!claims.isMerge(in: "/w"))
    }

    @Test func `no job begins where runs are started`() async throws {
        let (first, second) = (Landing<Void>(), Landing<Void>())
        try await withThrowingTaskGroup(of: Void.self) { group in
            let begun = Landing<Void>()
            for landing in [first, second] {
                group.addTask {
                    try await claims.starting(in: "/w/.worktrees/fair-rose") {
                        if landing === second { begun.settle(()) }
                        await landing.value(within: .seconds(30), otherwise: ())
                    }
                }
            }
            await begun.value(within: .seconds(30), otherwise: ())
            first.settle(())
            try await group.next()
            await #expect(throws: Problem.loopIsRunning("fair-rose")) { try await claims.beginJob(loop) }
            second.settle(())
            try await group.waitForAll()
        }
        try await claims.beginJob(loop)
        await #expect(throws: Problem.loopBusy("fair-rose")) { try await claims.beginJob(loop) }
    }

    @Test func `a start that fails leaves the worktree free`() async throws {
        await #expect(throws: Problem.unauthorized) {
            try await claims.starting(in: "/w/.worktrees/fair-rose") { throw Problem.unauthorized }
        }
        try await claims.beginJob(loop)
    }

    @Test func `a job waits for no file system that does not answer`() async throws {
        let threads = FileThreads(most: 4)
        let gate = try await threads.hold("/w")
        defer { gate.open() }
        let claims = WorktreeClaims(threads: threads)

        await #expect(throws: Problem.fileSystemSilent) { try await claims.beginJob(loop) }
        try await claims.starting(in: "/w") {}
    }

    @Test func `a run that is in no worktree is started though no thread is free`() async throws {
        let threads = FileThreads(most: 4)
        let gate = try await threads.hold("/w/packages/a")
        defer { gate.open() }
        let claims = WorktreeClaims(threads: threads)
        let started = Landing<Bool>()
        async let start: Void = claims.starting(in: "/w/packages/a") { started.settle(true) }

        #expect(await started.value(within: .seconds(10), otherwise: false))
        gate.open()
        try await start
    }

    @Test(arguments: [true, false])
    func `no run is started where somebody else merges`(_ isAlive: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let pid = isAlive ? getpid() : 2_147_483_647
            let now = Timestamp.text(WallClock.milliseconds())
            try directory.write(
                ".ralph/merge-queue.jsonl",
                #"{"ts":"\#(now)","loop_id":"fair-rose","event":{"type":"merging","pid":\#(pid)}}"# + "\n")
            for place in ["", "/packages/a"] {
                let worktree = directory.path + "/.worktrees/fair-rose" + place
                if isAlive {
                    await #expect(throws: Problem.loopBusy("fair-rose")) {
                        try await claims.starting(in: worktree) {}
                    }
                } else {
                    try await claims.starting(in: worktree) {}
                }
            }
        }
    }
}
