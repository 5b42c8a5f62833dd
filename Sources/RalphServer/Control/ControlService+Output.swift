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
            guard let path = registry.run(id)?.record.output, let session = catalogue.entry(id)?.session
            else { continue }
            let (cap, errors) = (settings.outputCapBytes, RunOutput.errors(beside: path))
            do {
                if EntryStatus.allocatedBytes(at: path) > cap {
                    try await threads.runIfActive { [self] in try trim(path, of: session) }
                }
                // Nobody follows that.
                if EntryStatus.allocatedBytes(at: errors) > cap {
                    try await threads.runIfActive { [self] in note(RunOutput.trim(errors, capBytes: cap)) }
                }
            } catch {
                logger.warning(
                    "The output of a run cannot be capped",
                    metadata: ["session.id": "\(id)", "error": "\(LoggedError.text(error))"])
            }
        }
    }

    private func trim(_ path: String, of session: DiscoveredSession) throws {
        let checkpoints = try feed.saved(session.id)?.checkpoints ?? [:]
        let read = TailPosition.bytesRead(ofOutput: path, of: session.directory, in: checkpoints) ?? 0
        note(RunOutput.trim(path, capBytes: settings.outputCapBytes, before: read))
    }

    /// - Parameter freed: `nil`: it could not be trimmed.
    private func note(_ freed: Int64?) {
        report.withLock { report in
            if let freed { report.output_freed_bytes += freed } else { report.output_uncapped += 1 }
        }
    }
}
