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

    /// Gives back the space of output beyond the cap that has been read and stored.
    func capOutput() async {
        for id in registry.sessions {
            guard let path = registry.run(id)?.record.output, let session = catalogue.entry(id)?.session,
                EntryStatus.allocatedBytes(at: path) > settings.outputCapBytes
            else { continue }
            do {
                try await threads.runIfActive { [self] in try cap(path, of: session) }
            } catch {
                logger.warning(
                    "The output of a run cannot be capped",
                    metadata: ["session.id": "\(id)", "error": "\(LoggedError.text(error))"])
            }
        }
    }

    private func cap(_ path: String, of session: DiscoveredSession) throws {
        let checkpoints = try feed.saved(session.id)?.checkpoints ?? [:]
        let read = TailPosition.bytesRead(ofOutput: path, of: session.directory, in: checkpoints) ?? 0
        let freed = RunOutput.trim(path, capBytes: settings.outputCapBytes, before: read)
        report.withLock { report in
            if let freed { report.output_freed_bytes += freed } else { report.output_uncapped += 1 }
        }
    }
}
