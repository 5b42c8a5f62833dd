import Foundation
import RalphSessions
import Synchronization

/// The files that the server's keys come from, where links lead now and where they led before: a certificate is renewed by
/// setting links to new files while the server runs, and the old key stays one, also for the next server.
final class KeyFiles: Sendable {
    private struct State {
        /// Canonical, the oldest first.
        var known: [String] = []
        /// Whether the record has them.
        var isRecorded = true
    }

    /// Files that are remembered; of more the oldest are forgotten.
    static let maximumFiles = 64
    /// A larger file is not read; ``maximumFiles`` paths take less.
    private static let maximumBytes = 1 << 20

    /// As they were set.
    private let settings: [String]
    /// `key-files.json` in the state directory, where they are remembered; owner only.
    private let record: String
    private let state: Mutex<State>

    /// Blocks for links and the disk.
    ///
    /// - Throws: ``ConfigurationProblem`` for a record that is there and cannot be read: it would be lost.
    init(_ settings: [String], record: String) throws(ConfigurationProblem) {
        self.settings = settings
        self.record = record
        state = Mutex(State(known: try Self.read(record)))
        note()
    }

    /// What `record` remembers, the oldest first. Blocks for the disk.
    ///
    /// - Throws: ``ConfigurationProblem`` for one that is there and cannot be read.
    static func read(_ record: String) throws(ConfigurationProblem) -> [String] {
        switch BoundedFile.find(record, maximumBytes: maximumBytes, isDirect: true) {
        case .content(let bytes):
            // What is broken tells nothing: it is written anew.
            return (try? JSONDecoder().decode([String].self, from: Data(bytes))) ?? []
        case .none: return []
        case .unreadable(let reason):
            throw ConfigurationProblem("The list of key files \(record) cannot be read: \(reason).")
        }
    }

    /// Remembers where links lead now; called whenever the files are read. Blocks for links and the disk.
    func note() { _ = paths }

    /// Canonical paths. Blocks for links and the disk.
    var paths: [String] {
        let now = settings.compactMap(\.canonicalPath)
        return state.withLock { state in
            let old = state.known.filter { path in !now.contains(where: path.isPath(_:)) }
            let all = Array((old + now).suffix(Self.maximumFiles))
            if all != state.known || !state.isRecorded {
                state.known = all
                do {
                    try PrivateFile.replace(record, with: JSONEncoder().encode(all))
                    state.isRecorded = true
                } catch {
                    // Known as long as the server runs, and tried again with the next look.
                    state.isRecorded = false
                }
            }
            return all
        }
    }
}
