import Foundation
import RalphWire

/// Reads the small files of a session that are answered as they are; from any thread.
package enum SessionFiles {
    /// A scratchpad's text and when it was written.
    package struct Scratchpad: Sendable, Equatable {
        package let content: String
        /// Milliseconds since 1970.
        package let modified: Int64
        /// Whether more followed.
        package var isCut = false
    }

    /// What Ralph rewrites after every iteration (contract 2.6).
    package struct LoopState: Sendable, Equatable {
        /// Below 2^32.
        package let iteration: Int?
        package let totalCostUSD: Double?
    }

    /// More of a scratchpad is cut off.
    package static let maximumScratchpadBytes = 4 << 20

    /// The scratchpad of `session`: the configured one, else from the first of http-contract 3.4's places
    /// that holds one.
    ///
    /// Broken UTF-8 is repaired; what is cut is cut between characters. A path that leads over links out of the workspace,
    /// to what is hidden in it, or to a file of another kind is not read.
    ///
    /// - Parameters:
    ///   - configured: ``WorkspaceConfig/scratchpad``.
    ///   - secrets: canonical paths; neither they nor what is below them is read, nor what a worktree has of them.
    /// - Throws: ``UnreadableFile`` where there is something that cannot be looked at.
    package static func scratchpad(
        of session: DiscoveredSession, configured: String? = nil, secrets: [String] = []
    ) throws(UnreadableFile) -> Scratchpad? {
        for path in session.directory.scratchpadPlaces(configured: configured) {
            guard let resolved = try contained(path, in: session),
                !resolved.isSecret(among: secrets),
                let status = EntryStatus(at: resolved), status.kind == .file
            else { continue }
            switch BoundedFile.find(
                resolved, maximumBytes: maximumScratchpadBytes, isCut: true, isDirect: true)
            {
            case .content(let bytes):
                let isCut = status.size > Int64(bytes.count)
                return Scratchpad(
                    content: UTF8Text.repaired(bytes, isCut: isCut), modified: status.modified / 1_000_000,
                    isCut: isCut)
            case .none: continue
            case .unreadable(let reason): throw UnreadableFile(path, reason)
            }
        }
        return nil
    }

    /// The loop state of `session`; `nil` without a readable one.
    package static func loopState(of session: DiscoveredSession) -> LoopState? {
        // One that cannot be looked at says as much as none.
        guard let path = try? contained(session.directory.loopState, in: session),
            let bytes = BoundedFile.read(path, maximumBytes: 1 << 20, isDirect: true),
            // Ralph rewrites the file in place: half of it says as much as none.
            let members = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        else { return nil }
        let cost = (members["total_cost_usd"] as? NSNumber)?.doubleValue
        return LoopState(
            iteration: (members["iteration"] as? NSNumber).flatMap { UInt32(exactly: $0) }.map(Int.init),
            totalCostUSD: cost.flatMap { $0.isFinite ? $0 : nil })
    }

    /// `path` without links, if it lies in the session's workspace or in the main one, and is no file of another kind or
    /// hidden there.
    ///
    /// - Throws: ``UnreadableFile`` if it cannot be known what is there.
    private static func contained(
        _ path: String, in session: DiscoveredSession
    ) throws(UnreadableFile) -> String? {
        guard let resolved = try path.resolvedFile() else { return nil }
        let homes = [session.directory.workspace, session.worktreeOf].compactMap { $0 }
        guard let below = homes.lazy.compactMap({ resolved.path(below: $0) }).first,
            !SessionDirectory.isHidden(below), resolved.hasPathExtension(of: path)
        else { return nil }
        return resolved
    }
}
