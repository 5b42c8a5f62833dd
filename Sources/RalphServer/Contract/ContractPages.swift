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

    private let yaml: String
    private let threads: NIOThreadPool
    private let made = Mutex<Pages?>(nil)

    /// - Parameter yaml: the description; ours if none is given.
    init(yaml: String = OpenAPIDocument.yaml, threads: NIOThreadPool) {
        self.yaml = yaml
        self.threads = threads
    }

    /// Both forms. Reading the description takes a while, so it is done on a thread that may block; two who are
    /// first make it twice, which harms nobody.
    ///
    /// - Throws: ``ContractError``, which a test keeps from happening.
    func pages() async throws -> Pages {
        if let pages = made.withLock(\.self) { return pages }
        let pages = try await threads.runIfActive { [yaml] in try Self.make(yaml) }
        made.withLock { $0 = pages }
        return pages
    }

    private static func make(_ yaml: String) throws(ContractError) -> Pages {
        let document = try ContractValue(yaml: yaml)
        return Pages(
            json: ByteBuffer(bytes: document.json),
            html: ByteBuffer(string: DocsPage(document: document).html.text))
    }
}
