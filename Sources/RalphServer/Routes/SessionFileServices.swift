import Hummingbird
import RalphSessions
import RalphWire

/// What the routes of a session's files call.
struct SessionFileServices: Sendable {
    let catalogue: SessionCatalogue
    /// Canonical paths of what no answer may show.
    let secrets: [String]
    let threads: FileThreads
    let diff: WorkspaceDiff
    let export: SessionExport

    /// The session that the path names.
    func entry(_ context: SessionRequestContext) throws(Problem) -> CatalogueEntry {
        try catalogue.require(catalogue.resolve(context.idSegment))
    }

    /// One of the documents; empty where there is none.
    ///
    /// - Throws: ``Problem`` 404 where there is something that may not be read, ``UnreadableFile`` for what cannot be.
    func document(
        _ name: String, _ path: String, of entry: CatalogueEntry
    ) async throws -> TextObject {
        let directory = entry.session.directory
        let finding = try await threads.run(at: directory.workspace) { [secrets] in
            SessionDocument.read(path, in: directory, secrets: secrets)
        }
        switch finding {
        case .missing: return TextObject(nil as SessionDocument?)
        case .found(let document): return TextObject(document)
        case .refused: throw Problem.documentRefused(name)
        case .unreadable(let file): throw file
        }
    }
}
