import RalphSessions

/// `agent/memories.md` of a workspace (contract 6.3), written as a whole. Synchronous.
package struct MemoryFile: Sendable {
    /// A larger file is refused, and no larger one is written.
    package static let maximumBytes = 8 << 20

    private let file: SharedFile

    package init(_ place: WorkspacePlace) {
        file = SharedFile(place: place, path: place.directory.memories, maximumBytes: Self.maximumBytes)
    }

    /// The text; `nil`: somebody else holds the lock.
    package func read() throws(WorkspaceError) -> FileContent? { try file.read() }

    /// Replaces the text; `nil`: somebody else holds the lock, and nothing was done.
    ///
    /// - Parameter known: when the file that the caller knows was changed, milliseconds since 1970; `nil`: it
    ///   does not matter.
    /// - Returns: when the file was changed.
    /// - Throws: ``WorkspaceError/changed`` if the file is another than `known`, ``WorkspaceError/notUTF8(path:)`` if
    ///   it holds what no text has shown.
    package func replace(with bytes: [UInt8], ifModified known: Int64?) throws(WorkspaceError) -> Int64? {
        let path = file.path
        let changed = try file.change { content throws(WorkspaceError) in
            if let known, known != content.modified { throw .changed }
            guard content.text != nil else { throw .notUTF8(path: path) }
            return (bytes, ())
        }
        return changed.map { $0.modified ?? 0 }
    }
}
