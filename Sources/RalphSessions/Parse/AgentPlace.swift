import RalphWire

/// What a line of a run's output does not say itself, as an ``EventBatch/Context``.
///
/// Such lines have hardly any times, several of them can make one event, and some are dropped for what came
/// before them. So that a stretch of the file read again gives the same events, all of that stands in the
/// context, in its `hat`: `<time>.<stretch>[^][~<through>[~<start>]]` TAB `<tool>` TAB `<hat>`. A context with
/// `through` covers exactly one event: the text of all `text_delta` lines from its place to that offset. Without
/// the `^` a message of a backend is one event, as it once was, whatever ``BackendMessage`` makes of it.
struct AgentPlace: Equatable {
    var iteration: Int
    var hat: String
    /// Milliseconds since 1970 for lines that do not tell their time.
    var time: Int64
    /// Where the newest line stands that was dropped for what came before it; -1: none. Makes contexts
    /// before and behind such a line differ.
    var stretch: Int64
    /// The tool whose call ends here, or several as ``tools``.
    var tool = ""
    /// Offset of the last line of a piece of text.
    var through: Int64?
    /// How the output before a piece of text ended.
    var start = TerminalOutput()
    /// Messages of backends are read by their parts.
    private(set) var readsParts = true

    /// The tools whose calls end on one line, in their order.
    var tools: [String] {
        get { tool.isEmpty ? [] : tool.split(separator: Self.toolSeparator).map(String.init) }
        set {
            tool = newValue.map { $0.replacing(Self.toolSeparator, with: " ") }.joined(
                separator: Self.toolSeparator)
        }
    }

    private static let toolSeparator = "\u{1F}"
    private static let partsMark = "^"

    init(iteration: Int, hat: String, time: Int64, stretch: Int64) {
        self.iteration = iteration
        self.hat = hat
        self.time = time
        self.stretch = stretch
    }

    /// Reads what ``context(file:generation:)`` wrote; anything else gives a place that says little.
    init(_ context: EventBatch.Context, fileTime: Int64) {
        self.init(iteration: context.iteration, hat: "", time: fileTime, stretch: -1)
        let parts = context.hat.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return }
        let marks = parts[0].split(separator: "~")
        readsParts = marks.first?.hasSuffix(Self.partsMark) == true
        if let first = marks.first?.split(separator: ".").first, let number = Int64(first) { time = number }
        if marks.count >= 2 { through = Int64(marks[1]) }
        if marks.count == 3, let place = UInt8(marks[2]).flatMap(TerminalOutput.Place.init) {
            start = TerminalOutput(place: place)
        }
        tool = String(parts[1])
        hat = String(parts[2])
    }

    func context(file: String, generation: Int) -> EventBatch.Context {
        let start = start.place == .text ? "" : "~\(start.place.rawValue)"
        let end = through.map { "~\($0)\(start)" } ?? ""
        let mark = readsParts ? Self.partsMark : ""
        return EventBatch.Context(
            file: file, generation: generation, iteration: iteration,
            hat: "\(time).\(stretch)\(mark)\(end)\t\(tool)\t\(hat)")
    }
}
