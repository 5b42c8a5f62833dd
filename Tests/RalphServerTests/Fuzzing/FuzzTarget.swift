/// What is fed with made-up input: by libFuzzer (`scripts/fuzz`), and with the same corpora by the ordinary tests.
///
/// Each target keeps a corpus in `Tests/Fuzzing/corpus/<name>`.
enum FuzzTarget: String, CaseIterable {
    /// Lines of files and the events that they become.
    case lines
    /// Events on their way out: server-sent events, lines of JSON, chunks.
    case frames
    /// Queries, paths and cursors of requests.
    case query
    /// What a request is let in with.
    case tickets
    /// Host, Origin, forwarded requests, addresses.
    case origins
    /// JSON objects that clients send.
    case objects
    /// YAML that clients send.
    case yaml

    /// Gives `bytes` to the parsers of this target.
    ///
    /// - Throws: ``FuzzFinding`` if they answer with something that must not be.
    func run(_ bytes: [UInt8]) throws(FuzzFinding) {
        let input = FuzzInput(bytes)
        switch self {
        case .lines: try LineFuzz.run(input)
        case .frames: try FrameFuzz.run(input)
        case .query: try QueryFuzz.run(input)
        case .tickets: try TicketFuzz.run(input)
        case .origins: try OriginFuzz.run(input)
        case .objects: try ObjectFuzz.run(input)
        case .yaml: try YAMLFuzz.run(input)
        }
    }
}
