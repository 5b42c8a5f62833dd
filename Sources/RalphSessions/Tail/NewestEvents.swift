package import RalphWire

/// What a session's newest stored events tell its next tail.
package struct NewestEvents: Sendable {
    /// See ``SavedTail/newestRow``.
    private(set) var row: SavedTail.Row?
    /// The times that names have (http-contract 4.3, `ts`).
    private(set) var clock = NameClock()
    private let isWhole: Bool

    /// - Parameter isWhole: the session has had no others.
    package init(isWhole: Bool) { self.isWhole = isWhole }

    /// Takes in the next one, oldest first.
    ///
    /// - Parameters:
    ///   - json: the event's object as it was told.
    ///   - time: milliseconds since 1970.
    package mutating func add(_ json: ArraySlice<UInt8>, time: Int64, origin: EventOrigin) {
        // The latest of their times, since rows need not come in their order.
        if origin != .server { row = SavedTail.Row(time: max(row?.time ?? .min, time), origin: origin) }
        json.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            var members: [JSONMember] = []
            var scanner = JSONScanner(base: base, count: buffer.count)
            guard scanner.scanObject(into: &members) else { return }
            let tool = members.value("tool", base)
            let name = tool.isString ? tool : members.value("topic", base)
            clock.recall(time, name: name.buffer(base).fnv1a, isWhole: isWhole)
        }
    }
}
