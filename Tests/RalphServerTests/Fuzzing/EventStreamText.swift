/// What a client makes of a stream of server-sent events: the rules of WHATWG HTML 9.2.6, byte by byte.
struct EventStreamText: Equatable {
    struct Event: Equatable {
        let id: [UInt8]
        let name: [UInt8]
        let data: [UInt8]
    }

    private(set) var events: [Event] = []
    private(set) var retries: [[UInt8]] = []
    private(set) var lastEventID: [UInt8] = []
    private var name: [UInt8] = []
    private var data: [UInt8] = []

    init(_ bytes: some Sequence<UInt8>) {
        var line: [UInt8] = []
        var isAfterReturn = false
        for byte in bytes {
            if byte == 0x0D || byte == 0x0A {
                if byte == 0x0D || !isAfterReturn {
                    take(line)
                    line = []
                }
            } else {
                line.append(byte)
            }
            isAfterReturn = byte == 0x0D
        }
    }

    private mutating func take(_ line: [UInt8]) {
        guard !line.isEmpty else { return dispatch() }
        let field = line.prefix { $0 != UInt8(ascii: ":") }
        var value = line.dropFirst(field.count + 1)
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        switch String(decoding: field, as: UTF8.self) {
        case "event": name = Array(value)
        case "data": data += value + [0x0A]
        case "id": if !value.contains(0) { lastEventID = Array(value) }
        case "retry": if value.allSatisfy({ (0x30...0x39).contains($0) }) { retries.append(Array(value)) }
        default: return
        }
    }

    private mutating func dispatch() {
        if !data.isEmpty {
            events.append(
                Event(
                    id: lastEventID, name: name.isEmpty ? Array("message".utf8) : name,
                    data: Array(data.dropLast())))
        }
        (name, data) = ([], [])
    }
}
