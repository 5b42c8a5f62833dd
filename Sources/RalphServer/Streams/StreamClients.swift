import RalphWire
import Synchronization

/// Where the streams of a client instance ended, so that the real app, which reconnects without a cursor,
/// goes on there (design 5). Bounded to ``maximumEntries``; of more the oldest tenth goes.
final class StreamClients: Sendable {
    /// Ended streams remembered.
    static let maximumEntries = 10_000
    /// How long an end is remembered, milliseconds.
    static let memory: Int64 = 600_000

    private struct Key: Hashable {
        let client: String
        let session: SessionID
    }

    private struct End {
        var cursor: Int64
        var time: Int64
    }

    private let ends = Mutex<[Key: End]>([:])

    init() {}

    /// A stream of `client` ended after it had sent everything up to `cursor`. Of several the lowest counts:
    /// a repeated event is cosmetic, a lost one is not.
    func noteEnd(client: String, session: SessionID, cursor: Int64, now: Int64) {
        ends.withLock { ends in
            let key = Key(client: client, session: session)
            let other = ends[key].flatMap { now - $0.time <= Self.memory ? $0.cursor : nil }
            ends[key] = End(cursor: min(cursor, other ?? cursor), time: now)
            guard ends.count > Self.maximumEntries else { return }
            // Many at once: to find them costs a look at all.
            for (key, _) in ends.sorted(by: { $0.value.time < $1.value.time }).prefix(
                Self.maximumEntries / 10)
            {
                ends[key] = nil
            }
        }
    }

    /// `client` asked for the session's status: it opens the session anew and wants the default replay.
    func noteStatus(client: String, session: SessionID) {
        ends.withLock { $0[Key(client: client, session: session)] = nil }
    }

    /// Where `client` was when its stream of `session` ended, if that is not too long ago; told once.
    func takeEnd(client: String, session: SessionID, now: Int64) -> Int64? {
        ends.withLock { ends in
            guard let end = ends.removeValue(forKey: Key(client: client, session: session)),
                now - end.time <= Self.memory
            else { return nil }
            return end.cursor
        }
    }

    /// Every end that is still remembered.
    func ends(now: Int64) -> [StreamEndsFile.End] {
        ends.withLock { ends in
            ends.filter { now - $0.value.time <= Self.memory }.map { key, end in
                StreamEndsFile.End(
                    client: key.client, session: key.session.rawValue, seq: end.cursor, ended_at: end.time)
            }
        }
    }

    /// Takes up what the last server left. One beyond what the store has, as where that was put back from a backup,
    /// would pass over what gets its number next.
    func add(_ ends: [StreamEndsFile.End], now: Int64, head: (SessionID) -> Int64?) {
        for end in ends.prefix(Self.maximumEntries) {
            guard let session = SessionID(end.session), let head = head(session),
                (0...head).contains(end.seq), (0...now).contains(end.ended_at)
            else { continue }
            noteEnd(client: end.client, session: session, cursor: end.seq, now: end.ended_at)
        }
    }
}
