package import RalphWire

/// Some of the events that were found, newest first.
package struct SearchPage: Sendable {
    /// One event.
    package struct Hit: Sendable {
        package let session: SessionID
        package let seq: Int64
        package let globalID: Int64
        /// Milliseconds since 1970.
        package let timestamp: Int64
        package private(set) var type = ""
        package private(set) var topic = ""
        /// Empty: none.
        package private(set) var hat = ""
        package let snippet: SearchSnippet
        /// The event's JSON object.
        package private(set) var event: [UInt8] = []

        init(
            session: SessionID, seq: Int64, globalID: Int64, timestamp: Int64, snippet: SearchSnippet
        ) {
            (self.session, self.seq, self.globalID, self.timestamp) = (session, seq, globalID, timestamp)
            self.snippet = snippet
        }

        /// Takes the event itself, and from it what the index has in another form.
        mutating func take(_ event: [UInt8]) {
            self.event = event
            event.withUnsafeBytes { bytes in
                var members = EventMembers(bytes)
                while let (key, value) = members.next() {
                    guard ["type", "topic", "hat"].contains(key) else { continue }
                    let text = String(decoding: members.text(value, limit: .max), as: UTF8.self)
                    switch key {
                    case "type": type = text
                    case "topic": topic = text
                    default: hat = text
                    }
                }
            }
        }
    }

    /// Events' JSON in one page, in bytes; a page ends after the event that goes beyond it.
    package static let maximumEventBytes = 4 << 20

    package internal(set) var hits: [Hit] = []
    /// Behind which global id the next page goes on; `nil`: there is none.
    package internal(set) var next: Int64?
    /// Events up to this global id were searched.
    package internal(set) var indexedThrough: Int64 = 0
    /// How far the index is behind the newest event, in global ids: also of events that are not kept any more.
    package internal(set) var behind: Int64 = 0

    /// Leaves out the events of sessions that nobody is to see; the page is shorter then.
    package mutating func leaveOut(_ isHidden: (SessionID) -> Bool) {
        hits.removeAll { isHidden($0.session) }
    }
}
