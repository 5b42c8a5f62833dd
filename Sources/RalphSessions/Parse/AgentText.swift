import RalphWire

/// Consecutive pieces of an agent's text on their way to becoming one event.
struct AgentText: Sendable {
    /// A piece is closed when it has grown past this many bytes; a single longer delta stays whole.
    static let maximumBytes = 16 * 1024

    let file: String
    let generation: Int
    /// Of the first delta.
    let offset: Int64
    var through: Int64
    let iteration: Int
    let hat: String
    let time: Int64
    /// How the output before it ended.
    let start: TerminalOutput
    /// As the terminal got it.
    var bytes: [UInt8] = []

    /// Whether a line at `place` adds to this piece.
    func goesOn(at place: LinePlace, iteration: Int) -> Bool {
        self.iteration == iteration && file == place.file && generation == place.generation
    }

    /// Adds the text of a line that stands at `offset`.
    mutating func add(_ delta: JSONSlice, _ base: UnsafePointer<UInt8>, at offset: Int64) {
        through = offset
        if delta.isString { delta.appendUnescaped(base, to: &bytes) }
    }

    /// The event, or `nil` if nothing is left of the text when it is made plain.
    ///
    /// - Parameter output: goes on over `bytes`.
    static func fields(
        _ bytes: [UInt8], behind output: inout TerminalOutput, iteration: Int, hat: String, time: Int64
    ) -> EventFields? {
        let text = output.plain(bytes)
        guard !text.isEmpty else { return nil }
        var fields = EventFields()
        fields.type = .literal("agent.text")
        fields.topic = .literal("agent.text")
        fields.timestamp = time
        fields.payload = .text(text)
        if iteration > 0 { fields.iteration = iteration }
        if !hat.isEmpty { fields.hat = .text(hat) }
        return fields
    }
}
