import Hummingbird
import NIOPosix
import RalphSessions
import RalphWire

/// What the routes of a session's files call.
struct SessionFileServices: Sendable {
    let catalogue: SessionCatalogue
    /// Canonical paths of what no answer may show.
    let secrets: [String]
    let threads: NIOThreadPool
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
    ) async throws -> DocumentObject {
        let directory = entry.session.directory
        let finding = try await threads.runIfActive { [secrets] in
            SessionDocument.read(path, in: directory, secrets: secrets)
        }
        switch finding {
        case .missing: return DocumentObject(nil)
        case .found(let document): return DocumentObject(document)
        case .refused: throw Problem.documentRefused(name)
        case .unreadable(let file): throw file
        }
    }
}

/// A summary or handoff on the wire.
struct DocumentObject: Encodable, Sendable {
    let content: String
    let updated_at: String?
    let truncated: Bool

    init(_ document: SessionDocument?) {
        content = document?.content ?? ""
        updated_at = document.map { Timestamp.text($0.modified) }
        truncated = document?.isCut ?? false
    }

    private enum CodingKeys: String, CodingKey { case content, updated_at, truncated }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(content, forKey: .content)
        try container.encode(updated_at, forKey: .updated_at)  // null, not absent, as with the scratchpad
        try container.encode(truncated, forKey: .truncated)
    }
}
