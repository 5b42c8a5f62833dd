import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphSessions

@Suite(.timeLimit(.minutes(1))) struct LivenessProbeTests {
    private static let lock = lock(ofYear: 2026)

    /// What the lock file says of this process as of a run that began in `year`, which is newer than any file from 2999 on.
    private static func lock(ofYear year: Int) -> String {
        """
        {"pid": \(getpid()), "started": "\(year)-06-22T21:33:08.901234567Z", "prompt": "Build a word counter"}
        """
    }

    private func liveness(of name: String, in directory: TemporaryDirectory) throws -> SessionLiveness {
        let sessions = directory.scan().sessions.map(\.facts)
        var probe = LivenessProbe()
        probe.refresh()
        return probe.liveness(
            of: try #require(sessions.first { directory.relative($0.directory.path) == name + "/.ralph" }))
    }

    @Test func `a lock file that nobody holds tells of a run that has ended`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            try directory.write("p/.ralph/loop.lock", Self.lock)

            let liveness = try liveness(of: "p", in: directory)

            #expect(!liveness.lockHeld)
            #expect(liveness.pid == nil)
            #expect(liveness.lockStarted == 1_782_163_988_901)
            #expect(liveness.prompt == "Build a word counter")
        }
    }

    @Test(arguments: ["", "{", "[]", #"{"pid":"x","started":7,"prompt":{}}"#, #"{"pid":1e99}"#, "\u{0}\u{0}"])
    func `a held lock file may hold anything`(content: String) async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write("p/.ralph/loop.lock", content)
            let descriptor = open(file, O_RDWR | O_CLOEXEC)
            defer { close(descriptor) }
            #expect(flock(descriptor, LOCK_EX) == 0)

            let liveness = try liveness(of: "p", in: directory)

            #expect(liveness.lockHeld)
            #expect(liveness.pid == getpid())
            #expect(liveness.prompt == nil)
        }
    }

    @Test func `control files are seen`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.copySample("h-hook-suspend-resume/while-suspended", to: "h")
            try directory.makeWorkspace("p")
            try directory.write("p/.ralph/stop-requested", "")

            #expect(try liveness(of: "h", in: directory).isSuspended)
            #expect(try !liveness(of: "h", in: directory).isStopRequested)
            #expect(try liveness(of: "p", in: directory).isStopRequested)
        }
    }

    @Test(arguments: [
        (#"{"suspended_at":"2026-06-22T21:33:08.901Z"}"#, true),
        (#"{"suspended_at":"2026-06-22T21:40:00.5Z","hook_name":"x"}"#, true),
        // A run that was killed while it was suspended leaves its file to the next one.
        (#"{"suspended_at":"2026-06-22T21:33:08.900Z"}"#, false),
        // Nothing that a Ralph has written.
        ("", false), ("no object", false),
        // Nothing that tells when.
        ("{}", true), (#"{"suspended_at":7}"#, true),
    ])
    func `a run is suspended by its own file only`(content: String, isSuspended: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write("p/.ralph/loop.lock", Self.lock)
            let descriptor = open(file, O_RDWR | O_CLOEXEC)
            defer { close(descriptor) }
            #expect(flock(descriptor, LOCK_EX) == 0)
            try directory.write("p/.ralph/suspend-state.json", content)

            #expect(try liveness(of: "p", in: directory).isSuspended == isSuspended)
        }
    }

    @Test(arguments: [
        (Int64(1000), "primary-1", true),
        // It was there before the process.
        (-60_000, "primary-1", false),
        // The process has waited for the lock of the run that left it.
        (1000, "primary-2", false),
    ])
    func `a run whose lock is dated ahead, as the clock was set back, is suspended by its own file`(
        after: Int64, loop: String, isSuspended: Bool
    ) async throws {
        try await withTemporaryDirectory { directory in
            let lock = Self.lock(ofYear: 2999)
            let file = try directory.write("p/.ralph/loop.lock", lock)
            let descriptor = open(file, O_RDWR | O_CLOEXEC)
            defer { close(descriptor) }
            #expect(flock(descriptor, LOCK_EX) == 0)
            try directory.write("p/.ralph/current-loop-id", "primary-1\n")
            let started = try #require(RunningProcess(pid: getpid())?.startedAt)
            let since = Timestamp.text(started + after)
            try directory.write(
                "p/.ralph/suspend-state.json", #"{"loop_id":"\#(loop)","suspended_at":"\#(since)"}"#)

            #expect(try liveness(of: "p", in: directory).isSuspended == isSuspended)
        }
    }

    @Test(arguments: [("2026-06-22T21:40:00Z", true), ("2026-06-22T21:00:00Z", false)])
    func `what cannot be looked at for a moment is as it was`(since: String, isSuspended: Bool) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("p/.ralph/loop.lock", Self.lock)
            try directory.write("p/.ralph/suspend-state.json", #"{"suspended_at":"\#(since)"}"#)
            let session = SessionDirectory(workspace: directory.path + "/p")
            var probe = LivenessProbe()
            probe.refresh()
            let seen = probe.liveness(of: DiscoveredSession(directory: session))
            #expect(seen.isSuspended == isSuspended && seen.lockStarted != nil)
            try #require(chmod(session.path, 0) == 0)

            withoutRights {
                #expect(probe.liveness(of: DiscoveredSession(directory: session)) == seen)
            }
            try #require(chmod(session.path, 0o755) == 0)
        }
    }

    @Test(arguments: [(getpid(), true), (Int32.max, false)])
    func `a worktree lives by its entry in the main workspace`(pid: Int32, isAlive: Bool) async throws {
        try await withTemporaryDirectory { directory in
            try directory.copySample("e-parallel-worktrees/while-running", to: "e")
            let worktree = "\(directory.path)/e/.worktrees/fair-rose"
            try directory.write(
                "e/.ralph/loops.json",
                """
                {"loops":[7,{"id":"fair-rose","pid":\(pid),"started":"2999-01-01T00:00:00Z",
                "prompt":"Write the side file","worktree_path":"\(worktree)","workspace":"\(worktree)"}]}
                """)

            let liveness = try liveness(of: "e/.worktrees/fair-rose", in: directory)

            #expect(liveness.lockHeld == isAlive)
            #expect(liveness.pid == (isAlive ? pid : nil))
            #expect(liveness.prompt == "Write the side file")
        }
    }

    @Test(arguments: [
        ("to/p", true), ("to/p/.worktrees/w", true), ("from/.worktrees/w", false), ("to/p/original", false),
    ])
    func `a worktree's entry of elsewhere counts where the workspace moved, not where it was copied`(
        place: String, isMoved: Bool
    ) async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("to/p")
            try directory.makeWorkspace("to/p/.worktrees/w", loop: "fair-rose")
            let from = "\(directory.path)/from/.worktrees/w"
            let loop = Process()
            loop.executableURL = URL(fileURLWithPath: "/bin/sleep")
            loop.arguments = ["60"]
            try FileManager.default.createDirectory(
                atPath: directory.path + "/" + place, withIntermediateDirectories: true)
            loop.currentDirectoryURL = URL(fileURLWithPath: directory.path + "/" + place)
            try loop.run()
            defer { loop.terminate() }
            let pid = loop.processIdentifier
            try directory.write(
                "to/p/.ralph/loops.json",
                #"{"loops":[{"id":"fair-rose","pid":\#(pid),"started":"2999-01-01T00:00:00Z","worktree_path":"\#(from)"}]}"#
            )

            let liveness = try liveness(of: "to/p/.worktrees/w", in: directory)
            #expect(liveness.lockHeld == isMoved && liveness.pid == (isMoved ? pid : nil))
        }
    }

    @Test func `a worktree that is a root itself lives by the main workspace's entry too`() async throws {
        try await withTemporaryDirectory { directory in
            let worktree = "\(directory.path)/p/.worktrees/w"
            try directory.makeWorkspace("p/.worktrees/w", loop: "fair-rose")
            let session = SessionDirectory(workspace: worktree)
            #expect(!LivenessProbe.isRunning(session))
            try directory.write(
                "p/.ralph/loops.json",
                #"{"loops":[{"id":"fair-rose","pid":\#(getpid()),"started":"2999-01-01T00:00:00Z","worktree_path":"\#(worktree)"}]}"#
            )

            #expect(LivenessProbe.isRunning(session))
        }
    }

    @Test func `a worktree's loop lives on while the registry is being rewritten`() async throws {
        try await withTemporaryDirectory { directory in
            let session = DiscoveredSession(
                directory: SessionDirectory(workspace: directory.path + "/p/.worktrees/w"))
            let whole =
                #"{"loops":[{"id":"w","pid":\#(getpid()),"started":"2999-01-01T00:00:00Z","#
                + #""worktree_path":"\#(session.directory.workspace)"}]}"#
            var probe = LivenessProbe()
            probe.refresh()
            for text in [whole, "", #"{"loops":[{"id":"w","pi"#] {
                let file = try directory.write("p/.ralph/loops.json", text)
                // However late it is looked at here.
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: 60)], ofItemAtPath: file)
                let liveness = probe.liveness(of: session)
                #expect(liveness.lockHeld)
            }

            // Nothing more comes.
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -10)],
                ofItemAtPath: directory.path + "/p/.ralph/loops.json")
            try await eventually(within: .seconds(20), "its end") { !probe.liveness(of: session).lockHeld }
        }
    }

    @Test(arguments: [".ralph/sessions/a/session.jsonl", ".agent/events.jsonl"])
    func `the loop of a worktree is the run of nothing else that lies there`(events: String) async throws {
        try await withTemporaryDirectory { directory in
            let worktree = "\(directory.path)/p/.worktrees/w"
            try directory.makeWorkspace("p")
            try directory.write("p/.worktrees/w/" + events, "1\n")
            try directory.write(
                "p/.ralph/loops.json",
                #"{"loops":[{"id":"w","pid":\#(getpid()),"started":"2999-01-01T00:00:00Z","worktree_path":"\#(worktree)"}]}"#
            )
            let session = try #require(
                directory.scan().sessions.map(\.facts).first { $0.worktreeOf != nil })
            var probe = LivenessProbe()
            probe.refresh()

            #expect(probe.liveness(of: session) == SessionLiveness())
            #expect(session.takesLock && session.runMarks == [session.directory.lockFile])
            #expect(LivenessProbe.isRunning(SessionDirectory(workspace: worktree)))
        }
    }

    @Test func `a lock file copied into a worktree tells nothing`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            try directory.makeWorkspace("p/.worktrees/w", loop: "fair-rose")
            try directory.write("p/.worktrees/w/.ralph/loop.lock", Self.lock)

            #expect(try liveness(of: "p/.worktrees/w", in: directory) == SessionLiveness())
        }
    }

    @Test(arguments: [("fair-rose", false), ("primary-1", true)])
    func `the lock file of a worktree that is a root itself tells of its own runs only`(
        loop: String, isOwn: Bool
    ) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("p/.worktrees/w/.ralph/loop.lock", Self.lock(ofYear: 2999))
            let session = DiscoveredSession(
                directory: SessionDirectory(workspace: directory.path + "/p/.worktrees/w"), loopID: loop)
            var probe = LivenessProbe()
            probe.refresh()
            #expect((probe.liveness(of: session).lockStarted != nil) == isOwn)

            probe.use(nil)
            #expect(session.mayWait(probe.liveness(of: session)))
            try directory.write(
                "p/.ralph/loops.json",
                #"{"loops":[{"id":"x","pid":\#(getpid()),"started":"2999-01-01T00:00:00Z","#
                    + #""worktree_path":"\#(directory.path)/p/.worktrees/w"}]}"#)
            let loop = probe.liveness(of: session)
            #expect(loop.lockHeld && !session.mayWait(loop))
        }
    }

    @Test func `nor where the system does not list locks and the worktree is a root itself`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p/.worktrees/w", loop: "fair-rose")
            let lock = Self.lock(ofYear: 2999)
            try directory.write("p/.ralph/loop.lock", lock)
            try directory.write("p/.worktrees/w/.ralph/loop.lock", lock)
            var probe = LivenessProbe()
            probe.use(nil)

            for (workspace, isHeld) in [("p", true), ("p/.worktrees/w", false)] {
                let session = SessionDirectory(workspace: "\(directory.path)/\(workspace)")
                let liveness = probe.liveness(of: DiscoveredSession(directory: session))
                #expect(liveness.lockHeld == isHeld)
            }
        }
    }
}
