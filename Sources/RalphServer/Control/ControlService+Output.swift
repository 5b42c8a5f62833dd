import Foundation
import Logging
import NIOPosix
import RalphControl
import RalphFeed
import RalphSessions
import RalphWire
import Synchronization

/// The output of runs, which nobody else bounds.
extension ControlService {
    /// How often output is looked at.
    static let outputInterval: Duration = .seconds(30)

    /// Paths that are remembered as told at most.
    private static let maximumTold = 1024

    /// Gives back the space of output beyond the cap that has been read and stored.
    func capOutput() async {
        for id in registry.sessions {
            guard let path = registry.run(id)?.record.output, let session = catalogue.entry(id)?.session
            else { continue }
            await cap(path, of: id) { [self] in try trim(path, of: session) }
            // Nobody follows that.
            let errors = RunOutput.errors(beside: path)
            await cap(errors, of: id) { [settings] in
                RunOutput.trim(errors, capBytes: settings.outputCapBytes)
            }
        }
        // A job that a former server began has nobody else.
        for path in (0..<LoopJobs.capacity).map({ LoopJobs.output(at: $0, in: settings) })
        where !EntryStatus.isAbsent(path) {
            await cap(path, of: nil) { [settings] in
                RunOutput.trim(path, capBytes: settings.outputCapBytes)
            }
        }
    }

    /// Trims a file that takes more than the cap.
    ///
    /// - Parameters:
    ///   - id: whose it is; `nil`: a loop's job said it.
    ///   - trim: gives how many bytes became free; `nil`: it could not be trimmed.
    private func cap(
        _ path: String, of id: SessionID?, _ trim: @escaping @Sendable () throws -> Int64?
    ) async {
        guard EntryStatus.allocatedBytes(at: path) > settings.outputCapBytes else { return }
        do {
            if let freed = try await ownThreads.runIfActive(trim) {
                noteFreed(freed, at: path)
            } else {
                noteUncapped(
                    path, of: id, because: "the file cannot be opened, or its file system gives no part back")
            }
        } catch is CancellationError {
            // The server ends.
        } catch is NIOThreadPoolError.ThreadPoolInactive {
            // The server ends.
        } catch {
            noteUncapped(path, of: id, because: LoggedError.text(error))
        }
    }

    private func trim(_ path: String, of session: DiscoveredSession) throws -> Int64? {
        let checkpoints = try feed.saved(session.id)?.checkpoints ?? [:]
        let read = TailPosition.bytesRead(ofOutput: path, of: session.directory, in: checkpoints) ?? 0
        return RunOutput.trim(path, capBytes: settings.outputCapBytes, before: read)
    }

    private func noteFreed(_ bytes: Int64, at path: String) {
        report.withLock { $0.output_freed_bytes += bytes }
        _ = uncapped.withLock { $0.remove(path) }
    }

    /// Counts it each time, and tells it once until it can be capped.
    private func noteUncapped(_ path: String, of id: SessionID?, because reason: String) {
        report.withLock { $0.output_uncapped += 1 }
        let isNew = uncapped.withLock { told in
            if told.count >= Self.maximumTold { told.removeAll() }
            return told.insert(path).inserted
        }
        guard isNew else { return }
        var metadata: Logger.Metadata = ["output.path": "\(path)", "error": "\(reason)"]
        if let id { metadata["session.id"] = "\(id)" }
        logger.warning("The output of a run cannot be capped", metadata: metadata)
    }
}
