/// What `ralph tools` was asked.
enum ToolsRequest {
    /// How results are shown.
    enum Format: String {
        case table, json, quiet, markdown
    }

    case task(TaskRequest)
    case memory(MemoryRequest)

    /// Reads what follows `tools`.
    init(_ reader: inout ArgumentReader) throws(StandInError) {
        guard case .word(let name)? = try reader.next() else { throw .usage("a subcommand is required") }
        switch name {
        case "task": self = .task(try TaskRequest(&reader))
        case "memory": self = .memory(try MemoryRequest(&reader))
        default: throw .usage("unrecognized subcommand '\(name)'")
        }
    }

    /// The format that an option names.
    static func format(_ reader: inout ArgumentReader, _ allowed: [Format]) throws(StandInError) -> Format {
        let text = try reader.value()
        guard let format = Format(rawValue: text), allowed.contains(format) else {
            throw .usage("invalid value '\(text)' for '--format'")
        }
        return format
    }

    /// What a list of words, separated by commas, holds.
    static func list(_ text: String?) -> [String] {
        (text ?? "").split(separator: ",").map { $0.trimmingBlanks }.filter { !$0.isEmpty }
    }
}

extension StringProtocol {
    /// Without white space around it.
    fileprivate var trimmingBlanks: String {
        String(String(drop(while: \.isWhitespace).reversed()).drop(while: \.isWhitespace).reversed())
    }
}
