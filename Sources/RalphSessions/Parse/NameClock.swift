/// Keeps events of one name apart in time.
///
/// The real client takes two events of equal name (tool, else topic) and equal millisecond for one
/// (http-contract 4.3, `ts`), so the later one is moved to the next millisecond that no event of the name has, up
/// to ``maximumDrift`` ahead. Remembers ``maximumNames`` names, those that were used last, with the last
/// ``maximumStretches`` of each, and forgets them with the process: after a restart the moves of a burst that
/// goes on may begin anew.
struct NameClock: Sendable {
    /// Milliseconds.
    static let maximumDrift: Int64 = 1000

    static let maximumNames = 32

    /// Milliseconds in a row that events of a name have.
    private typealias Stretch = ClosedRange<Int64>

    private static let maximumStretches = 4

    private struct Entry {
        var name: UInt64
        /// The ``NameClock/uses`` at the name's newest event.
        var used: UInt64
        /// The one that was given of last comes last.
        var stretches: [Stretch]

        mutating func give(_ time: Int64) -> Int64 {
            var given = time
            while let taken = stretches.last(where: { $0.contains(given) }) { given = taken.upperBound + 1 }
            guard given - time <= NameClock.maximumDrift else { return time }
            add(given)
            return given
        }

        private mutating func add(_ given: Int64) {
            if let index = stretches.lastIndex(where: { $0.upperBound == given - 1 }) {
                stretches.append(stretches.remove(at: index).lowerBound...given)
            } else {
                if stretches.count == NameClock.maximumStretches { stretches.removeFirst() }
                stretches.append(given...given)
            }
        }

        /// Notes a time that was given.
        mutating func recall(_ time: Int64) {
            if !stretches.contains(where: { $0.contains(time) }) { add(time) }
        }
    }

    private var entries: [Entry] = []
    private var uses: UInt64 = 0

    /// The time to give an event of this name and time.
    mutating func place(_ fields: EventFields, _ base: UnsafePointer<UInt8>) -> Int64 {
        var name = Self.hash(fields.topic, base)
        if case .none = fields.tool {} else { name = Self.hash(fields.tool, base) }
        return place(fields.timestamp, name: name)
    }

    /// ``place(_:_:)`` for a hashed name.
    mutating func place(_ time: Int64, name: UInt64) -> Int64 {
        uses += 1
        guard let slot = entries.firstIndex(where: { $0.name == name }) else {
            remember(Entry(name: name, used: uses, stretches: [time...time]))
            return time
        }
        entries[slot].used = uses
        return entries[slot].give(time)
    }

    /// An event of this name was told with this time.
    ///
    /// - Parameter isWhole: of events before the first that this is called for there are none; else the name may have had any
    ///   time that its first one was moved over.
    mutating func recall(_ time: Int64, name: UInt64, isWhole: Bool) {
        uses += 1
        guard let slot = entries.firstIndex(where: { $0.name == name }) else {
            let first = isWhole ? time : time.subtractingReportingOverflow(Self.maximumDrift).partialValue
            return remember(Entry(name: name, used: uses, stretches: [min(first, time)...time]))
        }
        entries[slot].used = uses
        entries[slot].recall(time)
    }

    private mutating func remember(_ entry: Entry) {
        guard entries.count == Self.maximumNames else { return entries.append(entry) }
        guard let unused = entries.indices.min(by: { entries[$0].used < entries[$1].used }) else { return }
        entries[unused] = entry
    }

    private static func hash(_ word: EventFields.Word, _ base: UnsafePointer<UInt8>) -> UInt64 {
        switch word {
        case .none: return 0
        case .slice(let slice): return slice.buffer(base).fnv1a
        case .literal(let text):
            return UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount).fnv1a
        case .text(let text): return text.utf8.fnv1a
        }
    }
}
