import Foundation
import RalphSessions
import RalphWire

/// `streams.json` in the state directory: where the app's streams ended with the server, for the next one. Owner only,
/// and read once.
struct StreamPlacesFile: Sendable {
    /// A larger file is not read; ``StreamClients/maximumEntries`` take less.
    private static let maximumBytes = 4 << 20

    struct Place: Codable, Equatable {
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
        let places: [Place]
    }

    let path: String

    /// Writes the file; `false` if the disk does not take it.
    func write(_ places: [Place], epoch: String) -> Bool {
        guard !places.isEmpty else { return true }
        do {
            try PrivateFile.replace(path, with: JSONEncoder().encode(Contents(epoch: epoch, places: places)))
            return true
        } catch {
            return false
        }
    }

    /// Takes what the last server left for a store of `epoch`: after a crash it is told a second time to nobody.
    func take(epoch: String) -> [Place] {
        defer { _ = unlink(path) }
        guard let bytes = BoundedFile.read(path, maximumBytes: Self.maximumBytes, isDirect: true),
            // What is broken tells nothing: then the newest events come again.
            let contents = try? JSONDecoder().decode(Contents.self, from: Data(bytes)),
            contents.epoch == epoch
        else { return [] }
        return contents.places
    }
}

extension StreamClients {
    /// Where streams ended that may still be gone on from.
    func places(now: Int64) -> [StreamPlacesFile.Place] {
        kept(now: now).map { end in
            StreamPlacesFile.Place(
                client: end.client, session: end.session.rawValue, seq: end.cursor, ended_at: end.time)
        }
    }

    /// Takes up what the last server left.
    func add(_ places: [StreamPlacesFile.Place]) {
        for place in places.prefix(Self.maximumEntries) {
            guard let session = SessionID(place.session), place.seq >= 0 else { continue }
            noteEnd(client: place.client, session: session, cursor: place.seq, now: place.ended_at)
        }
    }
}
