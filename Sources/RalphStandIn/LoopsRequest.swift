/// What `ralph loops` was asked (contract 5.2).
struct LoopsRequest {
    /// The subcommand.
    var action = "list"
    /// The loop.
    var id: String?
    /// For programs.
    var isJSON = false
    /// Merged and discarded loops too.
    var isAll = false
    /// `--force` or `-y`.
    var isForced = false

    private static let actions = ["list", "stop", "resume", "merge", "retry", "discard", "prune"]

    /// Reads what follows `loops`.
    init(_ reader: inout ArgumentReader) throws(StandInError) {
        var words: [String] = []
        while let argument = try reader.next() {
            switch argument {
            case .option("--json"): isJSON = true
            case .option("--all"): isAll = true
            case .option("--force"), .option("-f"), .option("-y"), .option("--yes"): isForced = true
            case .option("-c"), .option("--config"): _ = try reader.value()
            case .option(let name): throw .usage("unexpected argument '\(name)' found")
            case .word(let word): words.append(word)
            }
        }
        action = words.first ?? "list"
        id = words.count > 1 ? words[1] : nil
        guard Self.actions.contains(action), words.count <= 2 else {
            throw .usage("unrecognized subcommand '\(words.joined(separator: " "))'")
        }
        if ["resume", "merge", "retry", "discard"].contains(action), id == nil {
            throw .usage("the following required arguments were not provided: <LOOP_ID>")
        }
    }
}
