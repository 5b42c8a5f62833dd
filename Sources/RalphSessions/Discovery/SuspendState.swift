import Foundation
import RalphWire

/// What `suspend-state.json` says (contract 4.4), which appears in one step.
package struct SuspendState: Sendable, Equatable {
    /// The most bytes that are read of one.
    package static let maximumBytes = 64 << 10

    /// The hook that failed; `nil`: it does not say.
    package let hook: String?
    /// What it would have preceded or followed, such as `pre.iteration.start`; `nil`: it does not say.
    let phase: String?
    /// The id of the run's loop; `nil`: it does not say.
    let loopID: String?
    /// Since when the run waits, milliseconds since 1970; `nil`: it does not say.
    package let since: Int64?

    /// `nil` for anything but a JSON object.
    package init?(_ bytes: [UInt8]) {
        // Whatever else stands there, no Ralph has written it.
        guard let members = (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any] else {
            return nil
        }
        hook = members["hook_name"] as? String
        phase = members["phase_event"] as? String
        loopID = members["loop_id"] as? String
        since = (members["suspended_at"] as? String).flatMap { Timestamp.parse($0.utf8) }
    }

    /// Whether nobody can tell now what stands at `path`, if anything does.
    package static func isHidden(at path: String) -> Bool {
        guard !EntryStatus.isAbsent(path) else { return false }
        return if case .unreadable = BoundedFile.find(path, maximumBytes: maximumBytes, isDirect: true) {
            true
        } else {
            false
        }
    }

    /// Whether it is of the run that began at `started` (milliseconds since 1970; `nil`: not known), not of one before
    /// it: nobody removes the file of a run that was killed (contract 1.1).
    func isOf(runSince started: Int64?) -> Bool {
        guard let since, let started else { return true }
        return since >= started
    }

    /// Whether an iteration that would have started at `time` (milliseconds since 1970) has not for its sake: of all
    /// boundaries behind a summary only one lies behind that start (contract 4.4).
    func keepsIteration(from time: Int64) -> Bool { phase != "post.iteration.start" && isOf(runSince: time) }
}
