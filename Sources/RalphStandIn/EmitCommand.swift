import Foundation

/// What `ralph emit` was given.
struct EmitRequest {
    /// Any text.
    var topic = ""
    /// `nil` becomes null.
    var payload: String?
    /// The payload is a JSON value.
    var isJSON = false
    /// Instead of the present moment.
    var ts: String?
    /// Used only without a pointer.
    var file: String?

    /// Reads what follows `emit`.
    init(_ reader: inout ArgumentReader) throws(StandInError) {
        var words: [String] = []
        while let argument = try reader.next() {
            switch argument {
            case .option("--json"), .option("-j"): isJSON = true
            case .option("--ts"): ts = try reader.value()
            case .option("--file"): file = try reader.value()
            case .option("--"): words += reader.remainder()
            case .option(let name): throw .usage("unexpected argument '\(name)' found")
            case .word(let word): words.append(word)
            }
        }
        guard (1...2).contains(words.count) else { throw .usage("emit takes <TOPIC> [PAYLOAD]") }
        topic = words[0]
        payload = words.count > 1 ? words[1] : nil
    }
}

/// `ralph emit`: appends one row in two writes, unless a steer is pending (contract 2.3, 4.6).
struct EmitCommand {
    /// What was asked for.
    let request: EmitRequest

    /// - Returns: 1 when a steer was shown instead of emitting.
    func perform() throws(StandInError) -> Int32 {
        let workspace = Workspace.nearest()
        let environment = ProcessInfo.processInfo.environment
        if environment["RALPH_WAVE_ID"] == nil,
            let messages = try UrgentSteer(path: workspace.urgentSteer).take()
        {
            Output.note(Self.steer(messages))
            return 1
        }
        var payload = JSONValue.optional(request.payload)
        if request.isJSON, let text = request.payload {
            guard let value = JSONParser.parse(text) else { throw .failure("Invalid JSON payload: \(text)") }
            payload = value
        }
        let file = environment["RALPH_EVENTS_FILE"] ?? pointed(workspace)
        try EventsFile(path: file).appendSimple(topic: request.topic, payload: payload, ts: request.ts)
        Output.line("Event emitted: \(request.topic)")
        return 0
    }

    private func pointed(_ workspace: Workspace) -> String {
        guard !TextFile.exists(workspace.pointer), let file = request.file else {
            return workspace.eventsFile
        }
        return workspace.resolve(file)
    }

    static func steer(_ messages: [String]) -> String {
        let list = messages.enumerated().map { "\($0 + 1). \($1)" }.joined(separator: "\n")
        return """
            Error: Urgent steer is pending. Do not hand off yet.

            Human feedback:
            \(list)

            You have now seen the steer. Address it in this turn, then rerun `ralph emit` once you are ready to \
            hand off.
            """
    }
}
