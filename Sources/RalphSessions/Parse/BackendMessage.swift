import RalphWire

/// A message of a backend's own JSON stream, whose lines a headless run copies into its output as they are (contract 2.7).
///
/// `assistant` and `user` lines hold one; its `content` is a list of parts, of which each text of the agent's, tool call and tool
/// result is an event. All of them stand at the place of their line, in its order, and nothing stands between them.
struct BackendMessage {
    /// Parts behind so many make no events.
    static let maximumParts = 256

    struct Part {
        enum Kind { case text, toolCall, toolResult }

        let kind: Kind
        var members: [JSONMember]
    }

    private(set) var parts: [Part] = []
    /// The message's own, `missing` where it has none.
    let id: JSONSlice
    let usage: JSONSlice

    /// - Parameter members: those of the line.
    init(_ members: [JSONMember], _ base: UnsafePointer<UInt8>) {
        let message = Self.members(of: members.value("message", base), base)
        id = message.value("id", base)
        usage = message.value("usage", base)
        let isAsked = members.value("type", base).spells("user", base)
        var elements = JSONElements(message.value("content", base), base)
        while parts.count < Self.maximumParts, let element = elements.next() {
            guard element.kind == .object else { continue }
            let part = Self.members(of: element, base)
            guard let kind = Self.kind(of: part, base), kind != .text || !isAsked else { continue }
            parts.append(Part(kind: kind, members: part))
        }
    }

    /// Whether the line with `members` holds a message whose parts can be told apart.
    static func isHeld(by members: [JSONMember], _ base: UnsafePointer<UInt8>) -> Bool {
        Self.members(of: members.value("message", base), base).value("content", base).kind == .array
    }

    private static func members(of object: JSONSlice, _ base: UnsafePointer<UInt8>) -> [JSONMember] {
        guard object.kind == .object else { return [] }
        var members: [JSONMember] = []
        var scanner = JSONScanner(base: base, count: Int(object.end), index: Int(object.start))
        _ = scanner.scanObject(into: &members)
        return members
    }

    /// `nil`: it makes no event, as what an agent thinks, or a text without a character.
    private static func kind(of part: [JSONMember], _ base: UnsafePointer<UInt8>) -> Part.Kind? {
        let type = part.value("type", base)
        if type.spells("text", base) {
            let text = part.value("text", base)
            return text.isString && text.count > 0 ? .text : nil
        }
        if type.spells("tool_use", base) { return .toolCall }
        return type.spells("tool_result", base) ? .toolResult : nil
    }

    /// The ids of the calls whose results it has, in their order.
    func resultIDs(_ base: UnsafePointer<UInt8>) -> [String] {
        parts.filter { $0.kind == .toolResult }.map {
            Self.callID($0.members.value("tool_use_id", base), base)
        }
    }

    /// The calls that it has.
    func calls(_ base: UnsafePointer<UInt8>) -> [NarratorMemory.OpenTool] {
        parts.filter { $0.kind == .toolCall }.map { part in
            NarratorMemory.OpenTool(
                id: Self.callID(part.members.value("id", base), base),
                name: AgentLine.toolName(part.members.value("name", base), base))
        }
    }

    private static func callID(_ id: JSONSlice, _ base: UnsafePointer<UInt8>) -> String {
        id.string(base, limit: 256) ?? ""
    }

    /// Gives `append` the events, with the members that are left of each part.
    ///
    /// - Parameter place: names the tools whose results these are in ``AgentPlace/tools``.
    func forEachEvent(
        _ base: UnsafePointer<UInt8>, _ place: AgentPlace, _ append: (EventFields, [JSONMember]) -> Void
    ) {
        var tools = place.tools[...]
        for var part in parts {
            let tool = part.kind == .toolResult ? tools.popFirst() : nil
            append(Self.fields(&part, base, place, tool: tool ?? "tool"), part.members)
        }
    }

    private static func fields(
        _ part: inout Part, _ base: UnsafePointer<UInt8>, _ place: AgentPlace, tool: String
    ) -> EventFields {
        var fields = EventFields()
        fields.timestamp = place.time
        if place.iteration > 0 { fields.iteration = place.iteration }
        if !place.hat.isEmpty { fields.hat = .text(place.hat) }
        _ = part.members.take("type", base)
        switch part.kind {
        case .text:
            fields.type = .literal("agent.text")
            fields.topic = .literal("agent.text")
            fields.payload = .slice(part.members.take("text", base))
        case .toolCall:
            fields.type = .literal("tool.call")
            fields.topic = .literal("tool.invoked")
            fields.tool = .text(AgentLine.toolName(part.members.takeString("name", base), base))
            fields.status = .literal("running")
            if part.members.value("input", base).kind == .object {
                fields.input = part.members.take("input", base)
            }
        case .toolResult:
            let hasFailed = part.members.take("is_error", base).isTrue(base)
            fields.type = .literal("tool.result")
            fields.topic = hasFailed ? .literal("tool.failed") : .literal("tool.completed")
            fields.status = hasFailed ? .literal("error") : .literal("completed")
            fields.tool = .text(tool)
            fields.output = output(part.members.take("content", base), base)
        }
        return fields
    }

    /// The text of a result that is one text, in a list or not; else all of it.
    private static func output(_ content: JSONSlice, _ base: UnsafePointer<UInt8>) -> JSONSlice {
        var elements = JSONElements(content, base)
        guard let first = elements.next(), elements.next() == nil else { return content }
        let text = members(of: first, base).value("text", base)
        return text.isString ? text : content
    }
}
