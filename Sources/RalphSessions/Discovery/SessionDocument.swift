import Foundation

/// A Markdown file that a run leaves in its session directory: its summary, or its handoff (contract 1.1).
package struct SessionDocument: Sendable, Equatable {
    /// What was found where the file should be.
    package enum Finding: Sendable, Equatable {
        case missing
        case found(SessionDocument)
        /// No regular file of the session directory: a link that leads out of it, to something hidden or of another
        /// kind, a secret, a pipe, a directory.
        case refused
        case unreadable(UnreadableFile)
    }

    /// More of a document is left out, bytes.
    package static let maximumBytes = 1 << 20

    package let content: String
    /// Milliseconds since 1970.
    package let modified: Int64
    /// Whether only the beginning is in ``content``.
    package let isCut: Bool

    /// The document at `path`, which must be a regular file inside `directory`; never waits for anybody.
    ///
    /// Broken UTF-8 is repaired; what is cut is cut between characters.
    ///
    /// - Parameter secrets: canonical paths; neither they nor what is below them is read, nor what a worktree has of them.
    package static func read(
        _ path: String, in directory: SessionDirectory, secrets: [String] = []
    ) -> Finding {
        func isAllowed(_ real: String) -> Bool {
            guard let below = real.path(below: directory.path) else { return false }
            return !below.hasPrefix(".") && !below.contains("/.")
                && !real.isSecret(among: secrets)
        }

        let found: String?
        do throws(UnreadableFile) { found = try path.resolvedFile() } catch { return .unreadable(error) }
        guard let resolved = found else { return EntryStatus.isAbsent(path) ? .missing : .refused }
        guard isAllowed(resolved), resolved.hasPathExtension(of: path) else { return .refused }
        // O_NONBLOCK: opening a FIFO must not wait for its writer.
        let descriptor = open(resolved, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            let reason = SystemCode(errno)
            if reason.isAbsence { return .missing }
            return reason.meansNoFile ? .refused : .unreadable(UnreadableFile(path, reason))
        }
        defer { close(descriptor) }
        guard let status = EntryStatus(descriptor: descriptor), status.kind == .file,
            // A directory on the way may have become a link since.
            DirectPath.path(of: descriptor).map(isAllowed) ?? false
        else { return .refused }
        guard let bytes = BoundedFile.content(descriptor, maximumBytes: maximumBytes) else {
            return .unreadable(UnreadableFile(path, SystemCode(errno)))
        }
        let isCut = status.size > Int64(bytes.count)
        return .found(
            SessionDocument(
                content: UTF8Text.repaired(bytes, isCut: isCut), modified: status.modified / 1_000_000,
                isCut: isCut))
    }
}
