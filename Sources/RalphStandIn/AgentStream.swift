/// Turns what an agent prints into the records of the `--rpc` stream (contract 4.8).
///
/// Lines of a backend's own JSON stream (`type` assistant, user, result) become text, tool calls and figures; all
/// else is text as it is. Real ralph reads such lines only from backends that are known to print them.
struct AgentStream {
    /// What a turn cost, as its `result` line says.
    struct Figures {
        var cost = 0.0
        var turns = 0
        var inputTokens = 0
        var outputTokens = 0
        var cacheRead = 0
        var cacheWrite = 0
    }

    /// The iteration that the records name.
    let iteration: Int
    private(set) var figures = Figures()
    private var pending: [UInt8] = []
    private var text = ""

    /// A stream of one turn.
    init(iteration: Int) { self.iteration = iteration }

    /// Takes more output; gives the records that are complete.
    mutating func take(_ bytes: [UInt8]) -> [JSONValue] {
        pending += bytes
        var records: [JSONValue] = []
        while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
            let line = Array(pending[...end])
            pending.removeFirst(line.count)
            records += take(line: line)
        }
        // Half a line of text is shown at once, half a line of JSON is not.
        if let first = pending.first, first != UInt8(ascii: "{"), first < 0x80,
            let partial = String(validating: pending, as: UTF8.self)
        {
            text += partial
            pending = []
        }
        return records + flushText()
    }

    /// What was held back at the end of the turn.
    mutating func finish() -> [JSONValue] {
        text += String(decoding: pending, as: UTF8.self)
        pending = []
        return flushText()
    }

    private mutating func flushText() -> [JSONValue] {
        guard !text.isEmpty else { return [] }
        defer { text = "" }
        return [record("text_delta", [JSONMember("delta", .string(text))])]
    }

    private mutating func take(line: [UInt8]) -> [JSONValue] {
        let line = String(decoding: line, as: UTF8.self)
        guard line.first == "{", let value = JSONParser.parse(line), let type = value["type"]?.text else {
            text += line
            return []
        }
        switch type {
        case "assistant", "user":
            let content = value["message"]?["content"]?.elements ?? []
            return flushText() + content.compactMap { part(of: $0) }
        case "result":
            figures.cost = value["total_cost_usd"]?.fraction ?? 0
            figures.turns = value["num_turns"]?.integer ?? 0
            let usage = value["usage"]
            figures.inputTokens = usage?["input_tokens"]?.integer ?? 0
            figures.outputTokens = usage?["output_tokens"]?.integer ?? 0
            figures.cacheRead = usage?["cache_read_input_tokens"]?.integer ?? 0
            figures.cacheWrite = usage?["cache_creation_input_tokens"]?.integer ?? 0
            return []
        case "system": return []
        default:
            text += line
            return []
        }
    }

    private func part(of content: JSONValue) -> JSONValue? {
        switch content["type"]?.text {
        case "text":
            return content["text"]?.text.map { record("text_delta", [JSONMember("delta", .string($0))]) }
        case "tool_use":
            return record(
                "tool_call_start",
                [
                    JSONMember("tool_name", content["name"] ?? .null),
                    JSONMember("tool_call_id", content["id"] ?? .null),
                    JSONMember("input", content["input"] ?? .null),
                ])
        case "tool_result":
            guard let output = content["content"]?.text else { return nil }
            return record(
                "tool_call_end",
                [
                    JSONMember("tool_call_id", content["tool_use_id"] ?? .null),
                    JSONMember("output", .string(output)), JSONMember("is_error", .bool(false)),
                    JSONMember("duration_ms", .integer(0)),
                ])
        default: return nil
        }
    }

    private func record(_ type: String, _ members: [JSONMember]) -> JSONValue {
        .object(
            [JSONMember("type", .string(type)), JSONMember("iteration", .integer(iteration))] + members)
    }
}
