/// What `ralph tools task` was asked (contract 6.1).
struct TaskRequest {
    /// The subcommand.
    var action = ""
    /// The title of a new task, the id of any other.
    var subject = ""
    /// The workspace; `nil`: the nearest one.
    var root: String?
    var format = ToolsRequest.Format.table
    /// Cut to 1 … 5.
    var priority = 3
    var description: String?
    /// Ids.
    var blockers: [String] = []
    /// Of `ensure`.
    var key: String?
    /// Only tasks of this status.
    var status: String?
    /// Tasks of that many days.
    var days: Int?
    /// At most so many.
    var limit: Int?
    /// Closed and failed ones too; with `ready` those of other loops.
    var isAll = false

    private static let withSubject = ["add", "ensure", "start", "close", "fail", "reopen", "show"]

    /// Reads what follows `tools task`.
    init(_ reader: inout ArgumentReader) throws(StandInError) {
        var words: [String] = []
        while let argument = try reader.next() {
            switch argument {
            case .option("--"): words += reader.remainder()
            case .option(let name): try read(name, words.first ?? "", &reader)
            case .word(let word): words.append(word)
            }
        }
        action = words.first ?? ""
        let wantsSubject = Self.withSubject.contains(action)
        guard wantsSubject || ["list", "ready"].contains(action), words.count == (wantsSubject ? 2 : 1) else {
            throw .usage("unrecognized or incomplete subcommand '\(words.joined(separator: " "))'")
        }
        subject = wantsSubject ? words[1] : ""
        if action == "ensure", key == nil {
            throw .usage("the following required arguments were not provided: --key <KEY>")
        }
    }

    private mutating func read(
        _ name: String, _ action: String, _ reader: inout ArgumentReader
    ) throws(StandInError) {
        switch (name, action) {
        case ("--root", _): root = try reader.value()
        case ("--format", _): format = try ToolsRequest.format(&reader, [.table, .json, .quiet])
        case ("-p", _), ("--priority", _):
            let number = try reader.number()
            guard number <= 255 else { throw .usage("invalid value '\(number)' for '--priority'") }
            priority = min(max(number, 1), 5)
        case ("--days", _), ("-d", "list"): days = try reader.number()
        case ("-d", _), ("--description", _): description = try reader.value()
        case ("--blocked-by", _): blockers = ToolsRequest.list(try reader.value())
        case ("--key", _): key = try reader.value()
        case ("-s", _), ("--status", _): status = try reader.value()
        case ("-l", _), ("--limit", _): limit = try reader.number()
        case ("-a", _), ("--all", _): isAll = true
        default: throw .usage("unexpected argument '\(name)' found")
        }
    }
}
