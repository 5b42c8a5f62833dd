import Logging
import RalphControl
import RalphSessions
import RalphWire
import ServiceLifecycle

/// Keeps a real run of the stand-in going in the demo's workspace: everything that can be done to a run can be
/// done to it. A run that somebody stopped stays stopped. At the end all runs of the demo are stopped.
struct DemoRun: Service {
    /// The rest between the end of a run and the next one.
    static let pause: Duration = .seconds(2)

    /// The run of which somebody stopped the start, or the one before it: none follows it by itself.
    struct Unwanted: Equatable {
        /// `nil`: there was none yet.
        let startedAt: Int64?
    }

    /// The workspace; made by ``DemoWorkspace``.
    let workspace: String
    let control: ControlService
    let logger: Logger
    private let started = AsyncStream.makeStream(of: Void.self)

    /// Returns when the first run is there, or cannot be started; for one caller.
    func waitForStart() async {
        for await _ in started.stream {}
    }

    func run() async throws {
        defer { started.continuation.finish() }
        await control.waitForSweep()
        guard await control.ingest.waitForFirstScan() else {
            try? await gracefulShutdown()  // cancelled: there is nothing to stop
            return
        }
        let directory = SessionDirectory(
            path: workspace + "/" + SessionDirectory.ralphName, workspace: workspace, layout: .ralph)
        let controller = control.controller(of: DiscoveredSession(directory: directory))
        await keepGoing(controller, directory.id)
        // The workspaces are removed with the server, and so must be who works in them.
        await withDiscardingTaskGroup { group in
            group.addTask { [self] in await stop(controller) }
            for id in control.registry.sessions {
                // What was not found lies outside of the demo's root, or has just begun and ends by the lock.
                guard let other = try? control.controller(for: id), other !== controller else { continue }
                group.addTask { [self] in await stop(other) }
            }
        }
    }

    private func stop(_ controller: SessionController) async {
        do {
            _ = try await controller.stop(force: true, by: .unrevocable("demo"))
        } catch {
            logger.warning(
                "The demo's run could not be stopped", metadata: ["error": "\(LoggedError.text(error))"])
        }
    }

    private func keepGoing(_ controller: SessionController, _ id: SessionID) async {
        do {
            try await cancelWhenGracefulShutdown {
                var (hasFailed, unwanted) = (false, Unwanted?.none)
                while !Task.isCancelled {
                    if Self.isDue(behind: await controller.record, unwanted) {
                        do throws(ControlError) {
                            hasFailed = try await !start(controller, isToldOf: !hasFailed)
                        } catch {
                            unwanted = Unwanted(startedAt: await controller.record?.startedAt)
                        }
                    }
                    let isThere = control.catalogue.entry(id) != nil
                    if isThere || hasFailed { started.continuation.finish() }
                    try await Task.sleep(for: isThere || hasFailed ? Self.pause : .milliseconds(20))
                }
            }
        } catch {
            // Cancelled: the end of the demo, not a failure of it.
        }
    }

    /// - Returns: whether it runs.
    /// - Throws: ``ControlError/superseded`` if somebody stopped it meanwhile.
    private func start(
        _ controller: SessionController, isToldOf: Bool
    ) async throws(ControlError) -> Bool {
        let plan = LaunchPlan(workspace: workspace, config: workspace + "/ralph.yml")
        do throws(ControlError) {
            _ = try await controller.start(plan, by: .unrevocable("demo"))
            control.ingest.requestScan()
            return true
        } catch {
            if case .superseded = error { throw error }
            if isToldOf, !Task.isCancelled {
                logger.warning(
                    "The demo's run could not be started", metadata: ["error": "\(LoggedError.text(error))"])
            }
            return false
        }
    }

    /// Whether nothing runs and nobody wanted that.
    ///
    /// A stop that comes while a run starts finds nothing left to stop, and so leaves no word of itself in `record`.
    static func isDue(behind record: RunRecord?, _ unwanted: Unwanted?) -> Bool {
        guard unwanted != Unwanted(startedAt: record?.startedAt) else { return false }
        guard let record else { return true }
        return record.phase == .ended && (record.stop == nil || record.stop?.by == "demo")
    }
}
