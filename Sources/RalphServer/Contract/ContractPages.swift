import NIOCore
import NIOPosix
import Synchronization

/// The description of the interface in the forms that it is served in, made once, when somebody first asks.
final class ContractPages: Sendable {
    /// The forms.
    struct Pages: Sendable {
        /// OpenAPI as JSON.
        let json: ByteBuffer
        /// For people.
        let html: ByteBuffer
    }

    private let threads: NIOThreadPool
    private let made = Mutex<Pages?>(nil)

    init(threads: NIOThreadPool) { self.threads = threads }

    /// Both forms. Reading the description takes a while, so it is done on a thread that may block; two who are
    /// first make it twice, which harms nobody.
    ///
    /// - Throws: ``ContractError``, which a test keeps from happening.
    func pages() async throws -> Pages {
        if let pages = made.withLock(\.self) { return pages }
        let pages = try await threads.runIfActive { try Self.make() }
        made.withLock { $0 = pages }
        return pages
    }

    private static func make() throws(ContractError) -> Pages {
        let document = try ContractValue(yaml: OpenAPIDocument.yaml)
        return Pages(
            json: ByteBuffer(bytes: document.json),
            html: ByteBuffer(string: DocsPage(document: document).html.text))
    }
}
