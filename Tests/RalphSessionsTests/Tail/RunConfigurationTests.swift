import Logging
import RalphTestSupport
import RalphWire
import Synchronization
import Testing

@testable import RalphSessions

/// By whose configuration the first row of a run is told.
@Suite(.timeLimit(.minutes(1)))
struct RunConfigurationTests {
    /// A run whose lock file is empty when it is asked for first, and that goes on to its first row before the answer.
    private final class BeginningRun: Sendable {
        private static let start =
            #"{"ts":"2026-01-01T00:00:10Z","iteration":0,"hat":"loop","topic":"task.start","payload":"go"}"#
            + "\n"

        private let directory: TemporaryDirectory
        private let isKnown = Mutex(false)

        init(in directory: TemporaryDirectory) throws {
            self.directory = directory
            try directory.write("ralph.yml", "hats: {another: {triggers: [task.start]}}")
            try directory.write("own.yml", "hats: {own: {triggers: [task.start]}}")
            try directory.write(".ralph/loop.lock", "")
        }

        /// What its process says.
        func found() -> ConfiguredRun? {
            let wasKnown = isKnown.withLock { isKnown in
                defer { isKnown = true }
                return isKnown
            }
            if !wasKnown { begin() }
            let layers = ConfigurationLayers(files: [directory.path + "/own.yml"])
            return wasKnown ? ConfiguredRun(run: "1", configuration: layers) : nil
        }

        private func begin() {
            do {
                try directory.write(".ralph/loop.lock", #"{"pid":1}"#)
                try directory.append(".ralph/" + SessionScene.run1, Self.start)
            } catch {
                Issue.record(error)
            }
        }
    }

    /// - Parameter isContinued: its file has rows of the run before.
    @Test(arguments: [false, true])
    func `a run that begins while its session is read has its own hat from the first row on`(
        isContinued: Bool
    ) async throws {
        try await withTemporaryDirectory { directory in
            let run = try BeginningRun(in: directory)
            if isContinued { try directory.write(".ralph/" + SessionScene.run1, TailLine.lines(1...3)) }
            var sources = ConfigurationSources()
            sources.run = { _ in run.found() }
            let tail = SessionTail(
                session: DiscoveredSession(directory: SessionDirectory(workspace: directory.path)),
                saved: nil, limits: TailLimits(), logger: Logger(label: "test"), configurations: sources)

            let first = tail.read(changed: nil, budget: 1 << 20, now: 1000)
            #expect(first.batch.items.count == (isContinued ? 3 : 0) && first.state.hat.isEmpty)
            let second = tail.read(changed: nil, budget: 1 << 20, now: 1010)
            #expect(SessionScene.topics(second.batch).contains("task.start") && second.state.hat == "own")
        }
    }
}
