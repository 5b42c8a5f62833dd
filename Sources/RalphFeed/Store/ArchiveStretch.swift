import RalphWire

/// Tells for event after event whether it is just the next object of the stretch of a file that is noted
/// already, or needs a row of `archive_index` of its own.
struct ArchiveStretch: Sendable {
    /// What the current stretch holds.
    private enum Place: Equatable {
        /// Nothing is noted since the store was opened.
        case unknown
        /// Objects of a file.
        case file(EventBatch.Context)
        /// Events that no file holds.
        case nowhere
    }

    private var place = Place.unknown
    private var count = 0
    private var start: Int64 = 0
    private var offset: Int64 = -1
    /// A stretch ends behind so many bytes of its file: to read one event all before it in its stretch are read.
    private static let maximumBytes: Int64 = 1 << 20
    /// The index of `place` in the batch at hand; -2: none.
    private var contextIndex: Int32 = -2

    /// To be called before the first event of a batch: indices of contexts mean something else from now on.
    mutating func beginBatch() { contextIndex = -2 }

    /// Whether `item` begins a new row; counts it.
    ///
    /// Events that begin at the same offset are of one line and never parted, since a reader could not
    /// tell them apart.
    mutating func begins(with item: EventBatch.Item, of batch: EventBatch, stride: Int) -> Bool {
        defer { offset = item.offset }
        let hasRoom = count < stride && item.offset - start < Self.maximumBytes
        if continues(item, of: batch), item.offset < 0 || item.offset == offset || hasRoom {
            count += 1
            return false
        }
        let context = Self.context(of: item, in: batch)
        place = context.map(Place.file) ?? .nowhere
        contextIndex = context == nil ? -1 : item.context
        count = 1
        start = item.offset
        return true
    }

    /// The context of `item`; `nil` if no file holds it.
    static func context(of item: EventBatch.Item, in batch: EventBatch) -> EventBatch.Context? {
        guard item.offset >= 0, batch.contexts.indices.contains(Int(item.context)) else { return nil }
        return batch.contexts[Int(item.context)]
    }

    /// Whether `item` is of the current stretch's file, under the same circumstances, and not before it.
    private mutating func continues(_ item: EventBatch.Item, of batch: EventBatch) -> Bool {
        if item.offset >= 0, item.context == contextIndex { return item.offset >= offset }
        switch (place, Self.context(of: item, in: batch)) {
        case (.nowhere, nil): return true
        case (.file(let known), let context?) where known == context:
            contextIndex = item.context
            return item.offset >= offset
        default: return false
        }
    }
}
