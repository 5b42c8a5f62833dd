import RalphSessions
import Synchronization

/// The files that the server's keys come from, where links lead now and where they led before: a certificate is renewed by
/// setting links to new files while the server runs, and the old key stays one.
final class KeyFiles: Sendable {
    /// Files that are remembered; of more the oldest are forgotten.
    static let maximumFiles = 64

    /// As they were set.
    private let settings: [String]
    /// Canonical, the oldest first.
    private let known = Mutex<[String]>([])

    /// Blocks for links.
    init(_ settings: [String]) {
        self.settings = settings
        note()
    }

    /// Remembers where links lead now; called whenever the files are read. Blocks for links.
    func note() { _ = paths }

    /// Canonical paths. Blocks for links.
    var paths: [String] {
        let now = settings.compactMap(\.canonicalPath)
        return known.withLock { known in
            let old = known.filter { path in !now.contains(where: path.isPath(_:)) }
            known = Array((old + now).suffix(Self.maximumFiles))
            return known
        }
    }
}
