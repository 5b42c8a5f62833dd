import Foundation
import RalphWire

/// What `loop.lock` and the entries of `loops.json` say of a run (contract 3.1, 5.3).
///
/// Every member may be missing: the files are rewritten in place and are empty or cut for moments.
package struct LockRecord: Equatable, Sendable {
    package var pid: Int32?
    /// Milliseconds since 1970.
    package var started: Int64?
    package var prompt: String?
    /// Only in `loops.json`: the id of the loop.
    package var loopID: String?
    /// Only in `loops.json`: the worktree.
    package var workspace: String?

    /// Larger files are not looked at.
    package static let maximumFileBytes = 1 << 20
    /// More of a prompt is cut off; Ralph itself keeps 100 characters.
    private static let maximumPromptCharacters = 1000

    /// The record of a `loop.lock`; `nil` if the content is no JSON object.
    package static func parse(lock bytes: [UInt8]) -> LockRecord? {
        (json(bytes) as? [String: Any]).map { LockRecord($0) }
    }

    /// The records of a `loops.json`; `nil` if the content is something else.
    package static func parse(loops bytes: [UInt8]) -> [LockRecord]? {
        let entries = (json(bytes) as? [String: Any])?["loops"] as? [Any]
        return entries?.compactMap { ($0 as? [String: Any]).map { LockRecord($0) } }
    }

    /// The process that the record names, if it is alive and not one that got its number later.
    package var livingPID: Int32? {
        guard let pid, let process = RunningProcess(pid: pid), process.canHaveStarted(by: started) else {
            return nil
        }
        return pid
    }

    private init(_ members: [String: Any]) {
        pid = (members["pid"] as? NSNumber).flatMap { Int32(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil }
        started = (members["started"] as? String).flatMap { Timestamp.parse(Array($0.utf8)) }
        prompt = (members["prompt"] as? String).map { String($0.prefix(Self.maximumPromptCharacters)) }
        loopID = members["id"] as? String
        workspace = (members["worktree_path"] ?? members["workspace"]) as? String
    }

    private static func json(_ bytes: [UInt8]) -> Any? {
        // Half-written content is expected here; it says as much as no content.
        try? JSONSerialization.jsonObject(with: Data(bytes))
    }
}
