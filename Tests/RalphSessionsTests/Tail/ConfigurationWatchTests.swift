import RalphTestSupport
import Synchronization
import Testing

@testable import RalphSessions

/// What a session's runs go by.
@Suite(.timeLimit(.minutes(1)))
struct ConfigurationWatchTests {
    /// The run that works in the session, as a test says it.
    private final class Runs: Sendable {
        private let current = Mutex<ConfiguredRun?>(nil)

        var run: ConfiguredRun? { current.withLock { $0 } }

        func begin(_ run: String, _ files: [String], in directory: TemporaryDirectory) throws {
            current.withLock {
                $0 = ConfiguredRun(run: run, configuration: ConfigurationLayers(files: files))
            }
            try directory.write(".ralph/loop.lock", run)
        }

        func end() { put(nil) }

        func put(_ run: ConfiguredRun?) { current.withLock { $0 = run } }
    }

    private struct Scene {
        let directory: TemporaryDirectory
        var session: DiscoveredSession
        let runs: Runs
        var watch: ConfigurationWatch
        var now: Int64 = 1_000_000

        init(_ directory: TemporaryDirectory, worktreeOf: String? = nil) {
            self.directory = directory
            session = DiscoveredSession(
                directory: SessionDirectory(workspace: directory.path), worktreeOf: worktreeOf)
            let runs = Runs()
            self.runs = runs
            var sources = ConfigurationSources()
            sources.user = directory.path + "/user.yml"
            sources.run = { _ in runs.run }
            watch = ConfigurationWatch(sources, interval: 1000)
        }

        /// The limit of what has changed, a long while after the last look; `nil`: nothing has.
        mutating func limit() -> Int? {
            now += 1000
            guard let changed = watch.changed(for: session, now: now) else { return nil }
            return changed?.maxIterations ?? 0
        }

        /// The first hat's name, as ``limit()``.
        mutating func hat() -> String? {
            now += 1000
            return watch.changed(for: session, now: now).flatMap { $0 }?.hats.first?.name
        }

        func write(_ name: String, _ limit: Int) throws {
            try directory.write(name, "max_iterations: \(limit)\n")
        }
    }

    private func withScene(_ body: (inout Scene) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            var scene = Scene(directory)
            try body(&scene)
        }
    }

    @Test func `a run goes by what it was given, not by the workspace's file`() async throws {
        try await withScene { scene in
            try scene.write("ralph.yml", 33)
            try scene.write("other.yml", 7)
            #expect(scene.limit() == 33)
            try scene.runs.begin("1", [scene.directory.path + "/other.yml"], in: scene.directory)
            // However short ago the last look was.
            scene.now -= 1000
            #expect(scene.limit() == 7)
            #expect(scene.limit() == nil)
        }
    }

    @Test func `a run keeps what it began with, and the next one begins with what is there`() async throws {
        try await withScene { scene in
            let files = [scene.directory.path + "/ralph.yml"]
            try scene.write("ralph.yml", 33)
            try scene.runs.begin("1", files, in: scene.directory)
            #expect(scene.limit() == 33)
            try scene.write("ralph.yml", 5)
            try scene.write("user.yml", 6)
            #expect(scene.limit() == nil)
            // Something else was written to its lock file.
            try scene.directory.write(".ralph/loop.lock", "one more word")
            #expect(scene.limit() == nil)
            // It has ended, and nobody has begun another one.
            scene.runs.end()
            #expect(scene.limit() == nil)
            try scene.runs.begin("22", files, in: scene.directory)
            #expect(scene.limit() == 5)
        }
    }

    @Test func `where no run can be seen the workspace's file counts, whenever it changes`() async throws {
        try await withScene { scene in
            #expect(scene.limit() == 0)
            try scene.write("user.yml", 17)
            #expect(scene.limit() == 17)
            try scene.write("ralph.yml", 333)
            #expect(scene.limit() == 333)
            try scene.directory.write(".ralph/loop.lock", "in a container")
            try scene.write("ralph.yml", 5)
            #expect(scene.limit() == 5)
            #expect(scene.limit() == nil)
        }
    }

    @Test func `a run that is known late is known all the same`() async throws {
        try await withScene { scene in
            try scene.write("ralph.yml", 33)
            try scene.write("other.yml", 7)
            try scene.directory.write(".ralph/loop.lock", "1")
            #expect(scene.limit() == 33)
            try scene.runs.begin("1", [scene.directory.path + "/other.yml"], in: scene.directory)
            #expect(scene.limit() == 7)
        }
    }

    @Test func `a worktree without a file of its own has that of the main workspace`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("main/ralph.yml", "max_iterations: 4")
            var scene = Scene(directory, worktreeOf: directory.path + "/main")
            #expect(scene.limit() == 4)
            try scene.write("ralph.yml", 55)
            #expect(scene.limit() == 55)
        }
    }

    @Test(arguments: [("w", 4), ("primary-1", 0)])
    func `a worktree that is a root itself has it as well, for its loop`(loop: String, limit: Int)
        async throws
    {
        try await withTemporaryDirectory { directory in
            try directory.write("ralph.yml", "max_iterations: 4")
            var scene = Scene(directory)
            scene.session = DiscoveredSession(
                directory: SessionDirectory(workspace: directory.path + "/.worktrees/w"), loopID: loop)
            #expect(scene.limit() == limit)
            #expect(scene.session.runMarks.last == directory.path + "/.ralph/loops.json")
        }
    }

    @Test func `a worktree's run keeps what it began with, whatever becomes of the registry`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("main/ralph.yml", "max_iterations: 4")
            try directory.write("main/.ralph/loops.json", "1")
            var scene = Scene(directory, worktreeOf: directory.path + "/main")
            try scene.write("other.yml", 7)
            let run = ConfiguredRun(
                run: "1", configuration: ConfigurationLayers(files: [directory.path + "/other.yml"]))
            scene.runs.put(run)
            #expect(scene.limit() == 7)
            try scene.write("other.yml", 88)
            // Whoever writes it empties it for a moment, and the entry goes with the run's end.
            for (text, found) in [("", nil), ("one", run), ("none", nil)] {
                try directory.write("main/.ralph/loops.json", text)
                scene.runs.put(found)
                #expect(scene.limit() == nil)
            }
            scene.runs.put(ConfiguredRun(run: "2", configuration: run.configuration))
            try directory.write("main/.ralph/loops.json", "another")
            #expect(scene.limit() == 88)
        }
    }

    @Test func `a file that a hat imports counts like the one that imports it`() async throws {
        try await withScene { scene in
            try scene.directory.write("ralph.yml", "hats: {a: {import: a.yml}}")
            #expect(scene.hat() == "a")
            for name in ["One", "Second"] {
                try scene.directory.write("a.yml", "name: \(name)\n")
                #expect(scene.hat() == name)
            }
            // Once more, and then no longer.
            while let name = scene.hat() { #expect(name == "Second") }
        }
    }
}
