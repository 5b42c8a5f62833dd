#if os(Linux)
import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphSessions

/// Files that cannot be opened now and can be later, without anybody writing to them: somebody holds a lease, as it is
/// when there are no free descriptors.
@Suite(.timeLimit(.minutes(1)))
struct PassingTroubleTests {
    private func lines(_ names: [String]) -> String {
        names.map { #"{"topic":"\#($0)","ts":"2026-11-21T03:20:36Z"}"# + "\n" }.joined()
    }

    @Test func `what could not be opened is tried again though nobody writes to it`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try scene.write(SessionScene.run1, lines(["a"]))
            #expect(scene.read() == ["a"])
            try scene.write(SessionScene.run2, lines(["b"]))
            let lease = try #require(FileLease(scene.path(SessionScene.run2)))

            #expect(scene.read(changed: [SessionScene.run2]) == [])
            #expect(scene.last?.readAgainAt == scene.now + 1000 && !scene.problems.isEmpty)
            #expect(scene.read(changed: []) == [] && scene.last?.readAgainAt == scene.now + 1000)
            lease.end()
            #expect(scene.read(changed: []) == ["b"] && scene.last?.readAgainAt == nil)
        }
    }

    @Test func `a session begins with its newest lines as soon as its file can be opened`() async throws {
        try await withTemporaryDirectory { directory in
            var limits = TailLimits()
            limits.firstSightLines = 2
            let scene = try SessionScene(directory, limits: limits)
            try scene.write(SessionScene.run1, lines(["a", "b", "c", "d"]))
            let lease = try #require(FileLease(scene.path(SessionScene.run1)))

            #expect(scene.read() == [] && scene.saved?.checkpoints.isEmpty == true)
            #expect(scene.last?.readAgainAt == scene.now + 1000)
            lease.end()
            #expect(scene.read(changed: []) == ["c", "d"])
        }
    }

    @Test(arguments: [false, true])
    func `a file that may not be read at first sight begins with its newest lines when it may`(
        isPointed: Bool
    )
        async throws
    {
        try await withTemporaryDirectory { directory in
            var limits = TailLimits()
            limits.firstSightLines = 2
            let scene = try SessionScene(directory, limits: limits)
            try scene.write(SessionScene.run1, lines(["a", "b", "c", "d"]))
            if isPointed { try scene.point(at: SessionScene.run1) }
            try #require(chmod(scene.path(SessionScene.run1), 0) == 0)

            withoutRights { #expect(scene.read() == []) }
            #expect(!scene.problems.isEmpty)
            try #require(chmod(scene.path(SessionScene.run1), 0o644) == 0)
            #expect(scene.read(changed: [SessionScene.run1]) == ["c", "d"] && scene.problems == [])
            scene.restart()
            try scene.append(SessionScene.run1, lines(["e"]))
            #expect(scene.read() == ["e"])
        }
    }

    @Test func `what was written to a newer file than the pointer's while nobody might read is told`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            var limits = TailLimits()
            limits.firstSightLines = 2
            let scene = try SessionScene(directory, limits: limits)
            let runs = [SessionScene.run1: ["a", "b", "c"], SessionScene.run2: ["d"]]
            for (run, names) in runs {
                try scene.write(run, lines(names))
                try #require(chmod(scene.path(run), 0) == 0)
            }
            try scene.point(at: SessionScene.run1)
            withoutRights { #expect(scene.read() == []) }
            for run in runs.keys { try #require(chmod(scene.path(run), 0o644) == 0) }
            // The current one comes last.
            #expect(scene.read() == ["d", "b", "c"])
        }
    }

    @Test func `a session that is looked at often waits as long for its file`() async throws {
        try await withTemporaryDirectory { directory in
            var limits = TailLimits()
            limits.firstSightLines = 2
            let scene = try SessionScene(directory, limits: limits)
            try scene.write(SessionScene.run1, lines(["a", "b", "c", "d"]))
            let lease = try #require(FileLease(scene.path(SessionScene.run1)))
            for _ in 0..<40 { #expect(scene.read(changed: [SessionScene.run1]) == []) }
            lease.end()
            #expect(scene.read(changed: []) == ["c", "d"])
        }
    }

    @Test func `a run that began while nothing could be opened is followed a second later`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try scene.write(SessionScene.run1, lines(["a"]))
            try scene.point(at: SessionScene.run1)
            #expect(scene.read() == ["a"])
            try scene.write(SessionScene.run2, lines(["b"]))
            try scene.point(at: SessionScene.run2)

            withoutDescriptors {
                #expect(scene.read(changed: ["current-events", SessionScene.run2]) == [])
            }
            #expect(scene.last?.readAgainAt == scene.now + 1000 && !scene.problems.isEmpty)
            #expect(scene.read(changed: []) == ["b"])
            #expect(scene.last?.readAgainAt == nil && scene.problems == [])
        }
    }

    @Test func `a session is not begun while nothing can be opened`() async throws {
        try await withTemporaryDirectory { directory in
            var limits = TailLimits()
            limits.firstSightLines = 2
            let scene = try SessionScene(directory, limits: limits)
            try scene.write(SessionScene.run1, lines(["a", "b"]))
            try scene.write(SessionScene.run2, lines(["c"]))
            try scene.write(SessionScene.run3, lines(["d"]))
            try scene.point(at: SessionScene.run3)

            withoutDescriptors { #expect(scene.read() == []) }
            #expect(scene.read(changed: []) == ["c", "d"])
            try scene.point(at: SessionScene.run1)
            #expect(scene.read(changed: ["current-events"]) == [])
        }
    }

    @Test func `a session whose directory may not be read begins with its newest lines when it may`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            var limits = TailLimits()
            limits.firstSightLines = 2
            let scene = try SessionScene(directory, limits: limits)
            try scene.write(SessionScene.run1, lines(["a", "b", "c"]))
            try scene.write(SessionScene.run2, lines(["d"]))
            try scene.point(at: SessionScene.run2)
            try #require(chmod(scene.session.directory.path, 0) == 0)
            defer { chmod(scene.session.directory.path, 0o755) }

            withoutRights {
                #expect(scene.read(keeps: false) == [])
                #expect(scene.read(changed: [], keeps: false) == [])
            }
            try #require(chmod(scene.session.directory.path, 0o755) == 0)
            withoutDescriptors { #expect(scene.read(changed: [], keeps: false) == []) }
            #expect(scene.read(changed: [], keeps: false) == ["c", "d"])
            try scene.append(SessionScene.run2, lines(["e"]))
            #expect(scene.read(changed: [SessionScene.run2], keeps: false) == ["e"])
        }
    }

    @Test func `what was stored is gone on from though nothing can be opened`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try scene.write(SessionScene.run1, lines(["a"]))
            #expect(scene.read() == ["a"])
            try scene.append(SessionScene.run1, lines(["b"]))
            scene.restart()

            withoutDescriptors { #expect(scene.read() == []) }
            #expect(scene.read(changed: []) == ["b"])
        }
    }

    @Test func `a problem is told until it is over`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try scene.write(SessionScene.run1, lines(["a"]))
            try scene.point(at: SessionScene.run1)
            let pointer = scene.session.directory.pointerFile
            try #require(chmod(pointer, 0) == 0)

            withoutRights { #expect(scene.read() == ["a"]) }
            let problem = "\(pointer): Permission denied; the newest events file is read instead."
            #expect(scene.problems == [problem])
            try scene.append(SessionScene.run1, lines(["b"]))
            #expect(scene.read(changed: [SessionScene.run1]) == ["b"] && scene.problems.count == 1)
            try #require(chmod(pointer, 0o644) == 0)
            #expect(scene.read(changed: ["current-events"]) == [] && scene.problems == [])
            #expect(scene.last?.problemsChanged == true)
        }
    }

    @Test func `a run waits for the one before whose file may not be read for a while`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try sceneWithDeniedRun(directory)

            withoutRights { #expect(scene.read(changed: [SessionScene.run2]) == []) }
            #expect(scene.last?.readAgainAt == scene.now + 1000 && !scene.problems.isEmpty)
            #expect(scene.saved?.checkpoints[SessionScene.run2] != nil)
            try #require(chmod(scene.path(SessionScene.run1), 0o644) == 0)
            #expect(scene.read(changed: [SessionScene.run2]) == ["b", "c"])
            #expect(scene.last?.readAgainAt == nil && scene.problems == [])
        }
    }

    @Test func `a file that may not be read any more holds up newer ones for 30 seconds`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try sceneWithDeniedRun(directory)

            withoutRights {
                #expect(scene.read(changed: [SessionScene.run2]) == [])
                scene.now += 29_000
                #expect(scene.read(changed: []) == [])
                scene.now += 1000
                #expect(scene.read(changed: []) == ["c"] && scene.last?.readAgainAt == nil)
            }
            try scene.append(SessionScene.run2, lines(["d"]))
            try #require(chmod(scene.path(SessionScene.run1), 0o644) == 0)
            #expect(scene.read(changed: [SessionScene.run2]) == ["b", "d"])
        }
    }

    @Test func `a file that was read to its end holds up nothing when it may not be read any more`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let scene = try sceneWithDeniedRun(directory, unread: [])

            withoutRights { #expect(scene.read(changed: [SessionScene.run2]) == ["c"]) }
            #expect(scene.last?.readAgainAt == nil && !scene.problems.isEmpty)
            scene.restart()
            try scene.append(SessionScene.run2, lines(["d"]))
            withoutRights { #expect(scene.read() == ["d"]) }
        }
    }

    @Test func `the end of a stopped run waits for its rows, which wait for a file`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try sceneWithDeniedRun(directory)
            withoutRights { #expect(scene.read(changed: [SessionScene.run2]) == []) }
            noteStop(scene)

            withoutRights {
                #expect(scene.read(changed: [], origin: .server) == [])
                scene.now += 26_000
                #expect(scene.read(changed: [], origin: .server) == [])
                scene.now += 5000
                let read = scene.tail.read(changed: [], budget: 1 << 20, now: scene.now)
                #expect(SessionScene.topics(read.batch).suffix(2) == ["c", "session.stopped"])
            }
        }
    }

    @Test func `the end of a stopped run comes behind its rows when its processes are gone`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try sceneWithDeniedRun(directory)
            withoutRights { #expect(scene.read(changed: [SessionScene.run2]) == []) }
            noteStop(scene)

            withoutRights {
                let read = scene.tail.read(changed: nil, isLast: true, budget: 1 << 20, now: scene.now)
                #expect(SessionScene.topics(read.batch).suffix(2) == ["c", "session.stopped"])
                #expect(!read.hasMore)
            }
        }
    }

    @Test func `the end of a stopped run waits for rows that nothing can be opened for`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try scene.write(SessionScene.run1, lines(["a"]))
            #expect(scene.read() == ["a"])
            scene.restart()
            try scene.append(SessionScene.run1, lines(["b"]))
            withoutDescriptors { #expect(scene.read() == []) }
            noteStop(scene)

            withoutDescriptors {
                let read = scene.tail.read(changed: nil, isLast: true, budget: 1 << 20, now: scene.now)
                #expect(read.batch.items.isEmpty && !read.hasMore)
            }
            scene.now += 1000
            let read = scene.tail.read(changed: [], budget: 1 << 20, now: scene.now)
            #expect(SessionScene.topics(read.batch) == ["b", "session.stopped"])
        }
    }

    /// Rows of the next run may be among them then.
    @Test(arguments: [28_000, 30_000] as [Int64])
    func `what nothing could be opened for is the end of that run for so long only`(_ wait: Int64)
        async throws
    {
        try await withTemporaryDirectory { directory in
            let scene = try sceneWithOutput(directory)
            scene.restart()
            try scene.append(SessionScene.run1, lines(["b"]))
            try directory.append(
                "rpc-stdout.jsonl",
                #"{"type":"tool_call_start","tool_call_id":"1","tool_name":"Bash","input":{}}"# + "\n")

            for isLast in [true, false] {
                withoutDescriptors {
                    let read = scene.tail.read(changed: nil, isLast: isLast, budget: 1 << 20, now: scene.now)
                    #expect(read.batch.items.isEmpty)
                }
                scene.now += isLast ? wait : 1000
            }
            let read = scene.tail.read(changed: [], budget: 1 << 20, now: scene.now)
            let topics = ["tool.invoked", "b"]
            #expect(SessionScene.topics(read.batch) == (wait < 30_000 ? topics : topics.reversed()))
        }
    }

    private func noteStop(_ scene: SessionScene) {
        _ = scene.tail.note(
            [.requested(.stop, at: scene.now), .ended(reason: "stopped", at: scene.now)], now: scene.now)
    }

    /// One row of a run is read; its output has nothing yet.
    private func sceneWithOutput(_ directory: TemporaryDirectory) throws -> SessionScene {
        let scene = try SessionScene(directory, agentOutput: [directory.path + "/rpc-stdout.jsonl"])
        try scene.write(SessionScene.run1, lines(["a"]))
        try directory.write("rpc-stdout.jsonl", "")
        #expect(scene.read() == ["a"])
        return scene
    }

    /// One row of the first run is read, the next one may not be; the second run has begun.
    private func sceneWithDeniedRun(
        _ directory: TemporaryDirectory, unread: [String] = ["b"]
    ) throws -> SessionScene {
        let scene = try SessionScene(directory)
        try scene.write(SessionScene.run1, lines(["a"]))
        try scene.point(at: SessionScene.run1)
        #expect(scene.read() == ["a"])
        // A new tail holds no descriptor of it.
        scene.restart()
        try scene.append(SessionScene.run1, lines(unread))
        try #require(chmod(scene.path(SessionScene.run1), 0) == 0)
        try scene.write(SessionScene.run2, lines(["c"]))
        try scene.point(at: SessionScene.run2)
        return scene
    }

    @Test func `output of a run is tried again too`() async throws {
        try await withTemporaryDirectory { directory in
            let output = directory.path + "/rpc-stdout.jsonl"
            let scene = try sceneWithOutput(directory)
            scene.tail.session = scene.session
            try directory.append(
                "rpc-stdout.jsonl",
                #"{"type":"tool_call_start","tool_call_id":"1","tool_name":"Bash","input":{}}"# + "\n")
            scene.restart()
            let lease = try #require(FileLease(output))

            scene.now += 1000
            #expect(scene.read(origin: .agent) == [] && scene.last?.readAgainAt == scene.now + 1000)
            #expect(scene.last?.problemsChanged == true)
            // Nor does it keep those waiting who read for the last time.
            scene.now += 1000
            let last = scene.tail.read(changed: nil, isLast: true, budget: 1 << 20, now: scene.now)
            #expect(!last.hasMore)
            #expect(!last.problems.isEmpty && !last.problemsChanged)
            lease.end()
            scene.now += 1000
            #expect(scene.read(changed: [], origin: .agent) == ["tool.invoked"])
            #expect(scene.last?.problems == [] && scene.last?.problemsChanged == true)
        }
    }

    @Test func `a file seen from its middle tells when its run began and with what`() async throws {
        try await withTemporaryDirectory { directory in
            var limits = TailLimits()
            limits.firstSightLines = 2
            let scene = try SessionScene(directory, limits: limits)
            let start =
                #"{"ts":"2026-11-21T03:00:00Z","iteration":0,"hat":"loop","topic":"task.start","payload":"Build it"}"#
                + "\n"
            try scene.write(SessionScene.run1, start + lines(["a", "b", "c"]))

            #expect(scene.read() == ["b", "c"])
            #expect(scene.last?.state.firstEventAt == 1_795_230_000_000)
            #expect(scene.last?.state.prompt == "Build it" && scene.last?.state.runs == 0)
        }
    }
}
#endif
