/// `urgent-steer.json`: messages that the next `ralph emit` must show before it emits anything (contract 4.6).
struct UrgentSteer {
    /// Absolute.
    let path: String

    /// Adds a message, unless it equals the last one. Written in place.
    func add(_ message: String) throws(StandInError) {
        var messages = TextFile.read(path).flatMap { Self.messages(of: $0) } ?? []
        if messages.last != message { messages.append(message) }
        let file = JSONValue.object([
            JSONMember("messages", .array(messages.map { .string($0) })),
            JSONMember("created_at", .string(Moment().offsetText)),
        ])
        try TextFile.write(file.compact, to: path)
    }

    /// Takes the messages and removes the file; `nil` if there is none.
    ///
    /// - Throws: when the file cannot be understood; it stays then, and so every `ralph emit` fails.
    func take() throws(StandInError) -> [String]? {
        guard TextFile.exists(path) else { return nil }
        guard let messages = TextFile.read(path).flatMap({ Self.messages(of: $0) }) else {
            throw .failure("Failed to parse urgent steer file \(path)")
        }
        TextFile.remove(path)
        return messages
    }

    private static func messages(of text: String) -> [String]? {
        guard case .array(let list) = JSONParser.parse(text)?["messages"] else { return nil }
        let messages = list.compactMap(\.text)
        return messages.count == list.count ? messages : nil
    }
}
