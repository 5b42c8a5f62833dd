/// How the search index fares.
package struct SearchReport: Sendable, Equatable {
    /// `nil` until the index is open.
    package internal(set) var mode: SearchMode?
    /// Events taken into the index since the start.
    package internal(set) var indexed: Int64 = 0
    /// Events up to this global id are in the index, or have left their session's ring.
    package internal(set) var indexedThrough: Int64 = 0
    /// How far the index is behind the newest event, in global ids: also of events that are not kept any more.
    package internal(set) var behind: Int64 = 0
    /// Events that left their session's ring before the index came to them.
    package internal(set) var skipped: Int64 = 0
    /// How often an index was thrown away because it did not fit the store or was damaged.
    package internal(set) var rebuilt: Int64 = 0
    /// Why the index does not go on at present.
    package internal(set) var problem: String?
}
