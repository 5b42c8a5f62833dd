/// Who an event comes from. Raw values are what `source` says on the wire (http-contract 4.3).
public enum EventOrigin: String, Sendable, Codable, CaseIterable {
    /// A line of an events file, whoever appended it.
    case engine
    /// A line of the output of a run.
    case agent
    /// Ours: what we saw, derived or did.
    case server
    /// A person, through this server.
    case user
}

/// Events of one session in their order, not numbered yet.
///
/// All texts lie in one buffer, so that a burst of lines costs no allocation per event. An event's
/// *members* are the members of its JSON object after `id`, `seq` and `session_id`, without the braces:
/// `"type":"event.published","ts":"…","topic":"…",…`. They are one line of UTF-8 without U+0000 to
/// U+001F, U+0080 to U+009F, U+2028 and U+2029 (http-contract 4.2) and are stored and sent as they are.
public struct EventBatch: Sendable, Equatable {
    /// One event of a batch; ranges are offsets into ``EventBatch/bytes``.
    public struct Item: Sendable, Equatable {
        /// The members, see ``EventBatch``.
        public var members: Range<Int>
        /// The topic as it stands inside `members`, JSON-escaped, without its quotes.
        public var topic: Range<Int>
        /// The type as it stands inside `members`, JSON-escaped, without its quotes.
        public var type: Range<Int>
        /// Milliseconds since 1970, what `ts` says.
        public var timestamp: Int64
        public var origin: EventOrigin
        /// Where the event's JSON object begins in its file; -1 for an event that has no place in a file.
        public var offset: Int64
        /// Which of ``EventBatch/contexts`` holds; -1 for an event that has no place in a file.
        public var context: Int32

        public init(
            members: Range<Int>, topic: Range<Int>, type: Range<Int>, timestamp: Int64,
            origin: EventOrigin, offset: Int64, context: Int32
        ) {
            self.members = members
            self.topic = topic
            self.type = type
            self.timestamp = timestamp
            self.origin = origin
            self.offset = offset
            self.context = context
        }
    }

    /// What must be known to read a stretch of a file again and get the same events.
    public struct Context: Sendable, Hashable, Codable {
        /// The file's name relative to the session directory; two kinds of source never share a name.
        public var file: String
        /// Counts the times that the file's content began anew (truncation, replacement).
        public var generation: Int
        /// What lines without an `iteration` of their own get; 0 before the first.
        public var iteration: Int
        /// What lines without a `hat` of their own get; empty: no hat.
        public var hat: String

        public init(file: String, generation: Int, iteration: Int, hat: String) {
            self.file = file
            self.generation = generation
            self.iteration = iteration
            self.hat = hat
        }
    }

    public var bytes: [UInt8] = []
    public var items: [Item] = []
    public var contexts: [Context] = []

    public init() {}

    public var isEmpty: Bool { items.isEmpty }
    public var count: Int { items.count }

    /// The text of `range`; for tests and for paths that are not hot.
    public func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Adds `context` unless it is the newest one already, and gives its index.
    public mutating func contextIndex(_ context: Context) -> Int32 {
        if contexts.last != context { contexts.append(context) }
        return Int32(contexts.count - 1)
    }

    /// Adds everything of `other` behind what is here.
    public mutating func append(_ other: EventBatch) {
        let base = bytes.count
        bytes += other.bytes
        let places = other.contexts.map { contextIndex($0) }
        for var item in other.items {
            item.members = item.members.shifted(by: base)
            item.topic = item.topic.shifted(by: base)
            item.type = item.type.shifted(by: base)
            if item.context >= 0 { item.context = places[Int(item.context)] }
            items.append(item)
        }
    }
}

extension Range<Int> {
    /// The same length, `distance` further on.
    package func shifted(by distance: Int) -> Range<Int> { lowerBound + distance..<upperBound + distance }
}
