/// Keeps events of one name apart in time.
///
/// The real client takes two events of equal name (tool, else topic) and equal millisecond for one
/// (http-contract 4.3, `ts`), so the later one is moved behind the one before, by up to ``maximumDrift``.
/// Remembers ``maximumNames`` names, those with the newest times, and forgets them with the process: after a
/// restart the moves of a burst that goes on may begin anew.
struct NameClock: Sendable {
    /// Milliseconds.
    static let maximumDrift: Int64 = 1000

    static let maximumNames = 32

    private struct Entry {
        var name: UInt64
        var given: Int64
    }

    private var entries: [Entry] = []

    /// The time to give an event of this name and time.
    mutating func place(_ fields: EventFields, _ base: UnsafePointer<UInt8>) -> Int64 {
        var name = Self.hash(fields.topic, base)
        if case .none = fields.tool {} else { name = Self.hash(fields.tool, base) }
        return place(fields.timestamp, name: name)
    }

    /// ``place(_:_:)`` for a hashed name.
    mutating func place(_ time: Int64, name: UInt64) -> Int64 {
        guard let slot = entries.firstIndex(where: { $0.name == name }) else {
            remember(Entry(name: name, given: time))
            return time
        }
        let last = entries[slot].given
        let given = time <= last && last - time < Self.maximumDrift ? last + 1 : time
        entries[slot].given = given
        return given
    }

    private mutating func remember(_ entry: Entry) {
        guard entries.count == Self.maximumNames else { return entries.append(entry) }
        guard let oldest = entries.indices.min(by: { entries[$0].given < entries[$1].given }) else { return }
        entries[oldest] = entry
    }

    /// FNV-1a.
    private static func hash(_ word: EventFields.Word, _ base: UnsafePointer<UInt8>) -> UInt64 {
        switch word {
        case .none: return 0
        case .slice(let slice): return hash(slice.buffer(base))
        case .literal(let text):
            return hash(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        case .text(let text): return hash(text.utf8)
        }
    }

    private static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var value: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return value
    }
}
