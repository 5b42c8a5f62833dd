import Foundation
import RalphSessions

/// `streams.json` in the state directory: where the app's streams ended with the server, for the next one. Owner only,
/// and read once.
struct StreamEndsFile: Sendable {
    /// A larger file is not read; ``StreamClients/maximumEntries`` take less.
    private static let maximumBytes = 4 << 20

    struct End: Codable, Equatable {
        let client: String
        let session: String
        /// The number of the last event that the client had.
        let seq: Int64
        /// When the stream ended, milliseconds since 1970.
        let ended_at: Int64
    }

    private struct Contents: Codable {
        /// What the numbers belong to.
        let epoch: String
        let ends: [End]
    }

    let path: String

    /// Writes the file; `false` if the disk does not take it.
    func write(_ ends: [End], epoch: String) -> Bool {
        guard !ends.isEmpty else { return true }
        do {
            try PrivateFile.replace(path, with: JSONEncoder().encode(Contents(epoch: epoch, ends: ends)))
            return true
        } catch {
            return false
        }
    }

    /// Takes what the last server left for a store of `epoch`: after a crash it is told a second time to nobody.
    func take(epoch: String) -> [End] {
        defer { _ = unlink(path) }
        guard let bytes = BoundedFile.read(path, maximumBytes: Self.maximumBytes, isDirect: true),
            // What is broken tells nothing: then the newest events come again.
            let contents = try? JSONDecoder().decode(Contents.self, from: Data(bytes)),
            contents.epoch == epoch
        else { return [] }
        return contents.ends
    }
}
