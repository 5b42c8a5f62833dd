/// Whatever is not an event of a session in its own stream: comments, `retry:`, other ids and names.
extension ServerSentEventEncoder {
    /// `: <text>` and an empty line; every line of `text` becomes a comment line of its own.
    public static func comment(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        append(text.utf8, asLinesNamed: "", to: &bytes)
        bytes.append(lineFeed)
        return bytes
    }

    /// `retry: <milliseconds>` and an empty line: how long a browser waits before it connects again.
    public static func retry(milliseconds: Int) -> [UInt8] {
        Array("retry: \(max(0, milliseconds))\n\n".utf8)
    }

    /// A frame with any id and event name around `data`, for example an event's JSON in a stream over all sessions.
    ///
    /// - Parameters:
    ///   - id: without it, the client's last event id stays what it was.
    ///   - event: without it, browsers report the event as `message`. Must be one line.
    ///   - data: one line; further lines become further `data:` lines, which the standard joins again.
    public static func frame(
        id: Int64?, event: String?, data: some Collection<UInt8>
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(data.count + (event?.utf8.count ?? 0) + 48)
        if let id {
            bytes += "id: ".utf8
            JSONText.appendInteger(id, to: &bytes)
            bytes.append(lineFeed)
        }
        if let event { append(event.utf8, asLinesNamed: "event", to: &bytes) }
        append(data, asLinesNamed: "data", to: &bytes)
        bytes.append(lineFeed)
        return bytes
    }

    /// `name: line LF` for each line of `text`; CR, LF and CR LF end a line (WHATWG HTML 9.2.5).
    private static func append(
        _ text: some Collection<UInt8>, asLinesNamed name: String, to bytes: inout [UInt8]
    ) {
        func begin() {
            bytes += name.utf8
            bytes += ": ".utf8
        }
        begin()
        var isAfterReturn = false
        for byte in text {
            if byte == 0x0D || (byte == lineFeed && !isAfterReturn) {
                bytes.append(lineFeed)
                begin()
            } else if byte != lineFeed {
                bytes.append(byte)
            }
            isAfterReturn = byte == 0x0D
        }
        bytes.append(lineFeed)
    }

    private static let lineFeed = UInt8(ascii: "\n")
}
