/// What `ralph tools memory` was asked (contract 6.3).
struct MemoryRequest {
    /// The subcommand.
    var action = ""
    /// The text of a new memory, what is searched for, or an id.
    var subject: String?
    /// The workspace.
    var root = "."
    var format: ToolsRequest.Format?
    /// `nil`: a pattern when one is made, else any.
    var type: Memory.Kind?
    var tags: [String] = []
    /// The newest so many.
    var last: Int?
    /// Makes the file anew though it is there.
    var isForced = false
    /// All that a search finds.
    var isAll = false

    /// Reads what follows `tools memory`.
    init(_ reader: inout ArgumentReader) throws(StandInError) {
        var words: [String] = []
        while let argument = try reader.next() {
            switch argument {
            case .option("--"): words += reader.remainder()
            case .option("--root"): root = try reader.value()
            case .option("--format"):
                format = try ToolsRequest.format(&reader, [.table, .json, .markdown, .quiet])
            case .option("-t"), .option("--type"):
                let text = try reader.value()
                type = Memory.Kind(rawValue: text.lowercased())
                if type == nil { throw .usage("invalid value '\(text)' for '--type'") }
            case .option("--tags"): tags = ToolsRequest.list(try reader.value())
            case .option("--last"): last = try reader.number()
            case .option("--force"): isForced = true
            case .option("--all"): isAll = true
            case .option("--budget"), .option("--recent"): _ = try reader.number()
            case .option(let name): throw .usage("unexpected argument '\(name)' found")
            case .word(let word): words.append(word)
            }
        }
        action = words.first ?? ""
        subject = words.count > 1 ? words[1] : nil
        let needsSubject = ["add", "show", "delete"].contains(action)
        guard needsSubject || ["list", "search", "prime", "init"].contains(action), words.count <= 2,
            !needsSubject || subject != nil
        else { throw .usage("unrecognized or incomplete subcommand '\(words.joined(separator: " "))'") }
    }
}
