import Foundation
import RalphSessions
import Synchronization

/// The files that the server's keys come from, where links lead now and where they led before: a certificate is renewed by
/// setting links to new files while the server runs, and the old key stays one, also for the next server.
final class KeyFiles: Sendable {
    /// Files that are remembered; of more the oldest are forgotten.
    static let maximumFiles = 64
    /// A larger file is not read; ``maximumFiles`` paths take less.
    private static let maximumBytes = 1 << 20

    /// As they were set.
    private let settings: [String]
    /// `key-files.json` in the state directory, where they are remembered; owner only.
    private let record: String
    /// Canonical, the oldest first.
    private let known: Mutex<[String]>

    /// Blocks for links and the disk.
    init(_ settings: [String], record: String) {
        self.settings = settings
        self.record = record
        let bytes = BoundedFile.read(record, maximumBytes: Self.maximumBytes, isDirect: true)
        // What is broken tells nothing: it is written anew.
        let old = bytes.flatMap { try? JSONDecoder().decode([String].self, from: Data($0)) }
        known = Mutex(old ?? [])
        note()
    }

    /// Remembers where links lead now; called whenever the files are read. Blocks for links and the disk.
    func note() { _ = paths }

    /// Canonical paths. Blocks for links and the disk.
    var paths: [String] {
        let now = settings.compactMap(\.canonicalPath)
        return known.withLock { known in
            let old = known.filter { path in !now.contains(where: path.isPath(_:)) }
            let all = Array((old + now).suffix(Self.maximumFiles))
            if all != known {
                known = all
                // What the disk does not take is known as long as the server runs.
                try? PrivateFile.replace(record, with: JSONEncoder().encode(all))
            }
            return all
        }
    }
}
