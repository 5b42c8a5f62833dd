import RalphWire

/// Writes events as wire JSON (http-contract 4.3) into a batch.
///
/// Order of the members: `type ts ts_raw topic payload data hat iteration triggered blocked_count wave_id
/// wave_index wave_total tool status input output duration source repaired extra truncated`. Whatever the
/// line has besides stands under `extra`. An event whose members would take more than ``limit`` bytes loses
/// first its `data`, then the ends of its texts, its `input` and its `extra`, and says `"truncated":true`
/// whatever it lost; of a person's row the `id` stays, by which whoever had it written knows it.
struct EventEncoder {
    /// Soft cap of http-contract 4.3.
    static let softCap = 256 * 1024

    /// What an event's members may have; `.max` for history, which has the whole text of a line.
    let limit: Int

    /// How much of an event is written.
    private enum Extent: CaseIterable {
        case whole, withoutData, cut
        /// The same, of texts that take three times their room as they are written (U+0085, U+2028).
        case cutShort

        var isCut: Bool { self == .cut || self == .cutShort }
        var wordBytes: Int { isCut ? 1024 : .max }
        var payloadBytes: Int { limit(160 * 1024) }
        var outputBytes: Int { limit(64 * 1024) }

        private func limit(_ bytes: Int) -> Int {
            switch self {
            case .whole, .withoutData: .max
            case .cut: bytes
            case .cutShort: bytes / 3
            }
        }
    }

    /// Members of the line being read; those that are left when it is encoded go under `extra`.
    var members: [JSONMember] = []
    var clock = NameClock()
    private var timeText = TimeText()
    private var scratch: [UInt8] = []

    init(limit: Int = Self.softCap) { self.limit = limit }

    /// Appends one event; `base` is what the slices of `fields` and ``members`` count from.
    ///
    /// - Parameter isLive: moves the time by a few milliseconds where the real client would take two events
    ///   for one (http-contract 4.3, `ts`).
    /// - Returns: the time that the event tells, milliseconds since 1970.
    @discardableResult
    mutating func append(
        _ fields: EventFields, base: UnsafePointer<UInt8>, origin: EventOrigin, offset: Int64, context: Int32,
        isLive: Bool, to batch: inout EventBatch
    ) -> Int64 {
        let timestamp = isLive ? clock.place(fields, base) : fields.timestamp
        let start = batch.bytes.count
        var topic = start..<start
        var type = start..<start
        for extent in Extent.allCases {
            batch.bytes.removeSubrange(start...)
            type = appendType(fields, base, extent, &batch.bytes)
            appendTime(timestamp, fields.timestampSource, base, &batch.bytes)
            batch.bytes.appendASCII(",\"topic\":\"")
            topic = append(fields.topic, base, extent.wordBytes, &batch.bytes)
            batch.bytes.append(UInt8(ascii: "\""))
            appendPayload(fields.payload, base, extent, &batch.bytes)
            appendPlace(fields, base, extent, &batch.bytes)
            appendTool(fields, base, extent, &batch.bytes)
            appendEnd(fields, base, origin, extent, &batch.bytes)
            if batch.bytes.count - start <= limit { break }
        }
        batch.items.append(
            EventBatch.Item(
                members: start..<batch.bytes.count, topic: topic, type: type, timestamp: timestamp,
                origin: origin, offset: offset, context: context))
        return timestamp
    }

    // MARK: Parts

    private func appendType(
        _ fields: EventFields, _ base: UnsafePointer<UInt8>, _ extent: Extent, _ bytes: inout [UInt8]
    ) -> Range<Int> {
        bytes.appendASCII("\"type\":\"")
        defer { bytes.append(UInt8(ascii: "\"")) }
        return append(fields.type, base, extent.wordBytes, &bytes)
    }

    private mutating func appendTime(
        _ time: Int64, _ source: JSONSlice, _ base: UnsafePointer<UInt8>, _ bytes: inout [UInt8]
    ) {
        bytes.appendASCII(",\"ts\":\"")
        let start = bytes.count
        timeText.append(time, to: &bytes)
        let isSame =
            source.count == Timestamp.byteCount && bytes[start...].elementsEqual(source.buffer(base))
        bytes.append(UInt8(ascii: "\""))
        guard source.kind != .missing, !isSame else { return }
        bytes.appendASCII(",\"ts_raw\":\"")
        source.appendInside(base, limit: 64, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func appendPayload(
        _ payload: EventFields.Payload, _ base: UnsafePointer<UInt8>, _ extent: Extent,
        _ bytes: inout [UInt8]
    ) {
        switch payload {
        case .none: return
        case .slice(let slice) where slice.isString:
            bytes.appendASCII(",\"payload\":\"")
            slice.appendInside(base, limit: extent.payloadBytes, to: &bytes)
            bytes.append(UInt8(ascii: "\""))
            if extent == .whole { appendData(ofString: slice, base, &bytes) }
        case .slice(let slice):
            guard slice.kind != .null, slice.kind != .missing else { return }
            scratch.removeAll(keepingCapacity: true)
            slice.appendValue(base, to: &scratch)
            appendJSONPayload(scratch, extent, &bytes)
        case .json(let text):
            appendJSONPayload(text, extent, &bytes)
        case .text(let text):
            bytes.appendASCII(",\"payload\":\"")
            JSONText.appendEscaped(text.prefixOfCharacters(extent.payloadBytes / 6), to: &bytes)
            bytes.append(UInt8(ascii: "\""))
        }
    }

    /// Compact JSON as a string, and as `data` besides.
    private func appendJSONPayload(_ text: [UInt8], _ extent: Extent, _ bytes: inout [UInt8]) {
        bytes.appendASCII(",\"payload\":\"")
        bytes.appendQuotable(text.prefixOfCharacters(extent.payloadBytes / 2))
        bytes.append(UInt8(ascii: "\""))
        guard extent == .whole else { return }
        bytes.appendASCII(",\"data\":")
        bytes.append(contentsOf: text)
    }

    /// `data` of a string that is itself the text of a JSON object or array.
    private mutating func appendData(
        ofString slice: JSONSlice, _ base: UnsafePointer<UInt8>, _ bytes: inout [UInt8]
    ) {
        guard Self.mayBeContainer(slice, base) else { return }
        scratch.removeAll(keepingCapacity: true)
        slice.appendUnescaped(base, to: &scratch)
        scratch.withUnsafeBufferPointer { text in
            guard let start = text.baseAddress else { return }
            var scanner = JSONScanner(base: start, count: text.count)
            scanner.skipSpaces()
            let value = scanner.scanValue()
            scanner.skipSpaces()
            guard value.isContainer, scanner.index == text.count else { return }
            bytes.appendASCII(",\"data\":")
            value.appendValue(start, to: &bytes)
        }
    }

    /// Whether the first character that is no white space, plain or escaped, opens a container.
    private static func mayBeContainer(_ slice: JSONSlice, _ base: UnsafePointer<UInt8>) -> Bool {
        var bytes = slice.buffer(base)[...]
        while let first = bytes.first {
            if first == UInt8(ascii: "\\"), bytes.count > 1 {
                guard "ntr".utf8.contains(bytes[bytes.startIndex + 1]) else { return false }
                bytes = bytes.dropFirst(2)
            } else if first == 0x20 {
                bytes = bytes.dropFirst()
            } else {
                return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
            }
        }
        return false
    }

    private func appendPlace(
        _ fields: EventFields, _ base: UnsafePointer<UInt8>, _ extent: Extent, _ bytes: inout [UInt8]
    ) {
        appendMember(",\"hat\":\"", fields.hat, base, extent, &bytes)
        appendMember(",\"iteration\":", fields.iteration, &bytes)
        appendMember(",\"triggered\":\"", fields.triggered, base, extent, &bytes)
        appendMember(",\"blocked_count\":", fields.blockedCount, &bytes)
        appendMember(",\"wave_id\":\"", .slice(fields.waveID), base, extent, &bytes)
        appendMember(",\"wave_index\":", fields.waveIndex, &bytes)
        appendMember(",\"wave_total\":", fields.waveTotal, &bytes)
    }

    private mutating func appendTool(
        _ fields: EventFields, _ base: UnsafePointer<UInt8>, _ extent: Extent, _ bytes: inout [UInt8]
    ) {
        appendMember(",\"tool\":\"", fields.tool, base, extent, &bytes)
        appendMember(",\"status\":\"", fields.status, base, extent, &bytes)
        if fields.input.kind != .missing, !extent.isCut {
            bytes.appendASCII(",\"input\":")
            fields.input.appendValue(base, to: &bytes)
        }
        if fields.output.isString {
            bytes.appendASCII(",\"output\":\"")
            fields.output.appendInside(base, limit: extent.outputBytes, to: &bytes)
            bytes.append(UInt8(ascii: "\""))
        } else if fields.output.kind != .missing, fields.output.kind != .null {
            scratch.removeAll(keepingCapacity: true)
            fields.output.appendValue(base, to: &scratch)
            bytes.appendASCII(",\"output\":\"")
            bytes.appendQuotable(scratch.prefixOfCharacters(extent.outputBytes / 2))
            bytes.append(UInt8(ascii: "\""))
        }
        appendMember(",\"duration\":", fields.duration, &bytes)
    }

    private mutating func appendEnd(
        _ fields: EventFields, _ base: UnsafePointer<UInt8>, _ origin: EventOrigin, _ extent: Extent,
        _ bytes: inout [UInt8]
    ) {
        switch origin {
        case .engine: bytes.appendASCII(",\"source\":\"engine\"")
        case .agent: bytes.appendASCII(",\"source\":\"agent\"")
        case .server: bytes.appendASCII(",\"source\":\"server\"")
        case .user: bytes.appendASCII(",\"source\":\"user\"")
        }
        if fields.isRepaired { bytes.appendASCII(",\"repaired\":true") }
        if !extent.isCut {
            appendExtra(base, &bytes)
        } else if origin == .user {
            appendExtra(base, only: "id", &bytes)
        }
        // An event without `data` that does not fit whole does not fit so either.
        if extent != .whole { bytes.appendASCII(",\"truncated\":true") }
    }

    /// What nobody used of the line; of equal keys the last one (contract 2.4: as Ralph's parser).
    private func appendExtra(
        _ base: UnsafePointer<UInt8>, only key: StaticString? = nil, _ bytes: inout [UInt8]
    ) {
        var isFirst = true
        for (index, member) in members.enumerated() where member.value.kind != .missing {
            if let key, !member.key.spells(key, base) || member.value.count > 256 { continue }
            let isRepeated = members[(index + 1)...].contains {
                $0.value.kind != .missing && $0.key.buffer(base).elementsEqual(member.key.buffer(base))
            }
            if isRepeated { continue }
            bytes.appendASCII(isFirst ? ",\"extra\":{\"" : ",\"")
            isFirst = false
            member.key.appendInside(base, to: &bytes)
            bytes.appendASCII("\":")
            member.value.appendValue(base, to: &bytes)
        }
        if !isFirst { bytes.append(UInt8(ascii: "}")) }
    }

    // MARK: Single members

    private func appendMember(_ opening: StaticString, _ value: Int, _ bytes: inout [UInt8]) {
        guard value >= 0 else { return }
        bytes.appendASCII(opening)
        JSONText.appendInteger(Int64(value), to: &bytes)
    }

    private func appendMember(
        _ opening: StaticString, _ word: EventFields.Word, _ base: UnsafePointer<UInt8>, _ extent: Extent,
        _ bytes: inout [UInt8]
    ) {
        switch word {
        case .none: return
        case .slice(let slice) where slice.kind == .missing: return
        default: break
        }
        bytes.appendASCII(opening)
        _ = append(word, base, extent.wordBytes, &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// A character that was spelled by an escape without need is written as it is, so that a word is compared byte by byte.
    private func append(
        _ word: EventFields.Word, _ base: UnsafePointer<UInt8>, _ limit: Int, _ bytes: inout [UInt8]
    ) -> Range<Int> {
        let start = bytes.count
        switch word {
        case .none: break
        case .literal(let text):
            bytes.appendASCII(text)
        case .slice(let slice) where slice.traits.contains(.escapes):
            return append(.text(slice.string(base, limit: limit) ?? ""), base, limit, &bytes)
        case .slice(let slice): slice.appendInside(base, limit: limit, to: &bytes)
        case .text(let text):
            JSONText.appendEscaped(text.utf8, to: &bytes)
            guard bytes.count - start > limit else { break }
            bytes.removeSubrange(start...)
            JSONText.appendEscaped(Array(text.utf8).prefixOfCharacters(limit / 6), to: &bytes)
        }
        return start..<bytes.count
    }
}
