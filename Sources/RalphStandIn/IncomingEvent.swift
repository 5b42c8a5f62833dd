/// A row that ralph has read from its events file.
struct IncomingEvent: Equatable {
    /// Any text.
    let topic: String
    /// Text as it is, another value as its JSON text, `nil` for null.
    let payload: String?
    /// Whether the payload is a text as it stands in the row.
    let isText: Bool
    /// Written by a worker of a wave.
    let isOfWave: Bool
    /// The hat that it is for, whoever takes its topic.
    let target: String?
    /// The hat for which ralph says it; no row has one.
    let source: String?

    /// An event of the bus.
    init(topic: String, payload: String?, source: String? = nil, target: String? = nil) {
        self.topic = topic
        self.payload = payload
        isText = payload != nil
        self.target = target
        self.source = source
        isOfWave = false
    }

    /// `nil` if the row is malformed: not an object with a `topic` and a `ts` that are texts.
    init?(line: String) {
        guard let row = JSONParser.parse(line), let topic = row["topic"]?.text, row["ts"]?.text != nil else {
            return nil
        }
        self.topic = topic
        target = nil
        source = nil
        isOfWave = row["wave_id"]?.text != nil
        isText = row["payload"]?.text != nil
        switch row["payload"] {
        case nil, .null: payload = nil
        case .string(let text): payload = text
        case .some(let value): payload = value.sorted.compact
        }
    }
}
