package import RalphWire

/// Where a stretch of numbered events lies in Ralph's own files.
///
/// Events `seq ..< seq + count` are the objects of one file that follow each other, the first of which
/// begins at `offset`. A segment begins where its row does, so the first one of an answer may begin before
/// the first event that was asked for: read from `offset` and skip.
package struct ArchiveSegment: Sendable, Equatable {
    package var seq: Int64
    /// How many events, clipped at the end of what was asked for; at least 1.
    package var count: Int64
    /// What must be known to read them; `nil`: `server` and `user` events, which no file holds.
    package var context: EventBatch.Context?
    /// In bytes from the start of the file; -1 without a file.
    package var offset: Int64

    package init(seq: Int64, count: Int64, context: EventBatch.Context?, offset: Int64) {
        self.seq = seq
        self.count = count
        self.context = context
        self.offset = offset
    }
}
