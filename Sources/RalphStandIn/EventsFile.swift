/// The two shapes of rows that are appended to an events file (contract 2.1 to 2.4).
struct EventsFile {
    /// Absolute.
    let path: String

    /// A row of the orchestrator; one `write`.
    func appendRich(
        iteration: Int, hat: String, topic: String, triggered: String?, payload: String
    ) throws(StandInError) {
        var members = [
            JSONMember("ts", .string(Moment().offsetText)), JSONMember("iteration", .integer(iteration)),
            JSONMember("hat", .string(hat)), JSONMember("topic", .string(topic)),
        ]
        if let triggered { members.append(JSONMember("triggered", .string(triggered))) }
        members.append(JSONMember("payload", .string(Self.shortened(payload))))
        try TextFile.append([JSONValue.object(members).compact + "\n"], to: path)
    }

    /// A row of everybody else, its members in alphabetical order.
    func appendSimple(topic: String, payload: JSONValue, ts: String? = nil) throws(StandInError) {
        try TextFile.append(Self.simplePieces(topic: topic, payload: payload, ts: ts), to: path)
    }

    /// What `ralph emit` writes: the line and its end in two `write` calls, between which another writer fits.
    static func simplePieces(topic: String, payload: JSONValue, ts: String?) -> [String] {
        let row = JSONValue.object([
            JSONMember("payload", payload.sorted), JSONMember("topic", .string(topic)),
            JSONMember("ts", .string(ts ?? Moment().offsetText)),
        ])
        return [row.compact, "\n"]
    }

    /// Payloads of rich rows hold 500 bytes at most.
    static func shortened(_ payload: String) -> String {
        guard payload.utf8.count > 500 else { return payload }
        var end = payload.utf8.index(payload.utf8.startIndex, offsetBy: 500)
        while String.Index(end, within: payload.unicodeScalars) == nil {
            end = payload.utf8.index(before: end)
        }
        return payload[..<end] + "... [truncated, \(payload.unicodeScalars.count) chars total]"
    }
}
