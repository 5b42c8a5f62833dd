import RalphWire

/// Cursors that a stream cannot serve.
struct StreamGap: Sendable, Equatable {
    /// Why not. Raw values are what `reason` says on the wire.
    enum Reason: String, Sendable {
        /// The cursor is of another store, or beyond everything that this one has numbered.
        case unknownCursor = "unknown_cursor"
        /// Events of the server's own that have left the ring; no file of Ralph's holds them.
        case retention
        /// The events file that held them is gone or was replaced.
        case fileChanged = "file_changed"
        /// It is there and cannot be read now, for want of a right or of a free descriptor, or may be and has no place that
        /// the store could tell now.
        case fileUnreadable = "file_unreadable"
    }

    /// The first cursor missing.
    let from: Int64
    /// The last cursor missing; less than `from`: none is, as where an unknown cursor is answered with everything.
    let to: Int64
    let reason: Reason

    /// What a client misses whose cursor is unknown, where the stream goes on behind `start`.
    static func unknownCursor(before start: Int64) -> StreamGap {
        StreamGap(from: 1, to: start, reason: .unknownCursor)
    }

    /// What of it is missing where everything from `start` through `cursor` was served in another way; `nil`: nothing.
    func rest(behind cursor: Int64, since start: Int64) -> StreamGap? {
        guard from > start, from <= cursor else { return self }
        return to > cursor ? StreamGap(from: cursor + 1, to: to, reason: reason) : nil
    }

    var json: String { #"{"from":\#(from),"to":\#(to),"reason":"\#(reason.rawValue)"}"# }
}
