import RalphFeed
import RalphWire

/// The reads of the past that streams of one loop wait for: those that want the same wait for one read.
struct SharedReads {
    /// What is read: what follows a cursor.
    struct Key: Hashable {
        let source: StreamOptions.Source
        let cursor: Int64
    }

    private var waiting: [Key: [EventStream]] = [:]

    /// Adds a stream that waits; `true` if it is the first one, for which the read must be begun.
    mutating func add(_ stream: EventStream, for key: Key) -> Bool {
        waiting[key, default: []].append(stream)
        return waiting[key]?.count == 1
    }

    /// Those who waited for a read that is over.
    mutating func take(_ key: Key) -> [EventStream] { waiting.removeValue(forKey: key) ?? [] }
}
