import RalphWire

/// What the index keeps of one event; texts are prepared (``SearchText``).
struct SearchEntry {
    /// More of an event's text is not searched, in bytes.
    static let maximumTextBytes = 64 * 1024
    /// The same for topic, hat and tool.
    static let maximumWordBytes = 1024

    let session: SessionID
    let seq: Int64
    let globalID: Int64
    /// Milliseconds since 1970.
    let timestamp: Int64
    private(set) var type: [UInt8] = []
    private(set) var topic: [UInt8] = []
    private(set) var hat: [UInt8] = []
    private(set) var tool: [UInt8] = []
    /// Payload, output and input, in this order with a space between them.
    private(set) var text: [UInt8] = []

    /// The entry of the event at `index` of `block`.
    init(_ block: EventBlock, at index: Int) {
        session = block.session
        seq = block.firstSeq + Int64(index)
        globalID = block.entries[index].globalID
        timestamp = block.entries[index].timestamp
        block.json(at: index).withUnsafeBytes { read(EventMembers($0)) }
    }

    private mutating func read(_ given: EventMembers) {
        var members = given
        var payload: Range<Int>?
        var others: [Range<Int>] = []
        while let (key, value) = members.next() {
            switch key {
            case "type": type = word(value, members)
            case "topic": topic = word(value, members)
            case "hat": hat = word(value, members)
            case "tool": tool = word(value, members)
            // Structured: its texts are escaped once there, and twice in `payload`.
            case "payload", "data": payload = value
            case "output", "input": others.append(value)
            default: break
            }
        }
        for value in [payload].compactMap(\.self) + others.reversed() {
            let room = Self.maximumTextBytes - text.count - 1
            guard room > 0 else { break }
            if !text.isEmpty { text.append(0x20) }
            text += SearchText.prepare(members.text(value, limit: room), limit: room)
        }
    }

    private func word(_ value: Range<Int>, _ members: EventMembers) -> [UInt8] {
        SearchText.prepare(members.text(value, limit: Self.maximumWordBytes), limit: Self.maximumWordBytes)
    }
}
