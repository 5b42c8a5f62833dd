import RalphWire

/// An object of a run's output: of `--rpc` (contract 4.8), or of the agent's own stream (contract 2.7).
struct AgentLine {
    enum Kind {
        case loopStarted, iterationStart, iterationEnd, textDelta, toolStart, toolEnd, error
        case orchestration, guidanceAck, loopTerminated, wave, other
        /// A backend's own (contract 2.7): what was said, and the end of a turn.
        case message, turnEnd
        /// Replies to commands, what the events file says too, and what is no line of the protocol.
        case dropped
    }

    /// Topics that reach the bus but no file (contract 2.1), unless an agent emits them; with the suffixes below. Those of
    /// `default_publishes` may be any.
    private static let busTopics: [StaticString] = [
        "event.malformed", "build.blocked", "review.blocked", "verify.failed", "build.task.abandoned",
        "task.resume", "human.timeout", "user.response",
    ]

    let kind: Kind

    init(_ members: [JSONMember], _ base: UnsafePointer<UInt8>) {
        let type = members.value("type", base)
        guard type.isString, type.count > 0 else {
            kind = .dropped
            return
        }
        let named = Self.kind(of: type, members, base)
        let isOfFile =
            named == .orchestration && !Self.isBusOnly(members.value("topic", base), base)
            && !Self.isOfSilentHat(members, base)
        kind = isOfFile ? .dropped : named
    }

    /// A line that ``kind`` says is something else.
    init(kind: Kind) { self.kind = kind }

    private static func kind(
        of type: JSONSlice, _ members: [JSONMember], _ base: UnsafePointer<UInt8>
    ) -> Kind {
        if type.spells("text_delta", base) { return .textDelta }
        if type.spells("tool_call_start", base) { return .toolStart }
        if type.spells("tool_call_end", base) { return .toolEnd }
        if type.spells("iteration_start", base) { return .iterationStart }
        if type.spells("iteration_end", base) { return .iterationEnd }
        if type.spells("orchestration_event", base) { return .orchestration }
        if type.spells("error", base) { return .error }
        if type.spells("guidance_ack", base) { return .guidanceAck }
        if type.spells("loop_started", base) { return .loopStarted }
        if type.spells("loop_terminated", base) { return .loopTerminated }
        if type.spells("response", base) || type.spells("wave_worker_text_delta", base) { return .dropped }
        if type.spells("assistant", base) || type.spells("user", base) {
            return BackendMessage.isHeld(by: members, base) ? .message : .other
        }
        if type.spells("result", base) {
            return members.value("total_cost_usd", base).number(base) == nil ? .other : .turnEnd
        }
        return type.begins(with: "wave_", base) ? .wave : .other
    }

    /// Whether Ralph says it for a hat that said nothing (`default_publishes`, contract 2.5): that is without a text and names the
    /// hat as its source, which no row of a file gives an event. So the line alone tells it, when it is read again, too.
    private static func isOfSilentHat(_ members: [JSONMember], _ base: UnsafePointer<UInt8>) -> Bool {
        let (source, payload) = (members.value("source", base), members.value("payload", base))
        let topic = members.value("topic", base)
        return payload.isString && payload.count == 0 && source.isString && source.count > 0
            && topic.isString && topic.count > 0
    }

    static func isBusOnly(_ topic: JSONSlice, _ base: UnsafePointer<UInt8>) -> Bool {
        guard topic.isString else { return false }
        if busTopics.contains(where: { topic.spells($0, base) }) { return true }
        return topic.ends(with: ".exhausted", base) || topic.ends(with: ".scope_violation", base)
    }

    /// What the line says as an event, taken out of `members`; the rest stays there. Not for text.
    func fields(_ members: inout [JSONMember], _ base: UnsafePointer<UInt8>, _ place: AgentPlace)
        -> EventFields
    {
        var fields = EventFields()
        let type = members.take("type", base)
        name(&fields, type, &members, base, place)
        fields.timestampSource = Self.time(&members, base, kind)
        fields.timestamp = fields.timestampSource.integer(base).map(Int64.init) ?? place.time
        let ownIteration = members.takeInteger("iteration", base)
        fields.iteration = ownIteration >= 0 || place.iteration == 0 ? ownIteration : place.iteration
        let ownHat = kind == .iterationStart ? members.takeString("hat", base) : .missing
        let hat = ownHat.string(base, limit: 1024)?.lowercased() ?? place.hat
        if !hat.isEmpty { fields.hat = .text(hat) }
        switch kind {
        case .iterationEnd, .wave, .other, .turnEnd: fields.payload = .json(members.takeRest(base))
        default: break
        }
        return fields
    }

    /// Whether the objects of `line` were written before `time`, milliseconds since 1970; `nil`: none says when.
    static func isOlder(_ line: UnsafeRawBufferPointer, than time: Int64) -> Bool? {
        var members: [JSONMember] = []
        var scan = LineScan(line)
        var isOlder: Bool?
        while scan.next(&members) {
            for key: StaticString in ["started_at", "terminated_at"] {
                guard let written = members.value(key, scan.base).integer(scan.base) else { continue }
                isOlder = isOlder != false && written < time
            }
        }
        return isOlder
    }

    /// Times are epoch milliseconds.
    private static func time(
        _ members: inout [JSONMember], _ base: UnsafePointer<UInt8>, _ kind: Kind
    ) -> JSONSlice {
        let key: StaticString
        switch kind {
        case .loopStarted, .iterationStart: key = "started_at"
        case .loopTerminated: key = "terminated_at"
        default: return .missing
        }
        guard let number = members.value(key, base).integer(base), number <= Timestamp.latest else {
            return .missing
        }
        return members.take(key, base)
    }

    private func name(
        _ fields: inout EventFields, _ type: JSONSlice, _ members: inout [JSONMember],
        _ base: UnsafePointer<UInt8>, _ place: AgentPlace
    ) {
        fields.type = .literal("event.published")
        switch kind {
        case .loopStarted:
            Self.set(&fields, "loop.started", payload: members.takeString("prompt", base))
        case .loopTerminated:
            Self.set(&fields, "loop.terminated", payload: members.takeString("reason", base))
        case .iterationStart: Self.set(&fields, "iteration.started", payload: .missing)
        case .iterationEnd:
            Self.set(&fields, "iteration.completed", payload: .missing)
            fields.duration = members.value("duration_ms", base).integer(base) ?? -1
        case .toolStart, .toolEnd: nameTool(&fields, &members, base, place)
        case .error:
            fields.type = .literal("error")
            fields.topic = .literal("agent.error")
            fields.status = .literal("error")
            fields.payload = .slice(members.take("message", base))
        case .guidanceAck:
            fields.topic = .literal("agent.guidance_ack")
            fields.payload = .slice(members.take("message", base))
        case .orchestration:
            fields.topic = .slice(members.take("topic", base))
            fields.payload = .slice(members.take("payload", base))
        case .wave:
            let words = (type.string(base, limit: 256) ?? "wave").split(separator: "_")
            fields.topic = .text(words.joined(separator: "."))
        case .turnEnd:
            fields.topic = .literal("agent.result")
            let hasFailed = members.value("is_error", base).isTrue(base)
            fields.status = hasFailed ? .literal("error") : .literal("completed")
        case .other, .textDelta, .message, .dropped: fields.topic = .slice(type)
        }
    }

    private static func set(_ fields: inout EventFields, _ name: StaticString, payload: JSONSlice) {
        fields.type = .literal(name)
        fields.topic = .literal(name)
        fields.payload = .slice(payload)
    }

    private func nameTool(
        _ fields: inout EventFields, _ members: inout [JSONMember], _ base: UnsafePointer<UInt8>,
        _ place: AgentPlace
    ) {
        if kind == .toolStart {
            fields.type = .literal("tool.call")
            fields.topic = .literal("tool.invoked")
            fields.tool = .text(Self.toolName(members.takeString("tool_name", base), base))
            fields.status = .literal("running")
            if members.value("input", base).kind == .object { fields.input = members.take("input", base) }
            return
        }
        let hasFailed = members.take("is_error", base).isTrue(base)
        fields.type = .literal("tool.result")
        fields.topic = hasFailed ? .literal("tool.failed") : .literal("tool.completed")
        fields.status = hasFailed ? .literal("error") : .literal("completed")
        fields.tool = .text(place.tool.isEmpty ? "tool" : place.tool)
        fields.output = members.take("output", base)
        fields.duration = members.takeInteger("duration_ms", base)
    }

    /// A tool's name as it travels in an ``AgentPlace``.
    static func toolName(_ slice: JSONSlice, _ base: UnsafePointer<UInt8>) -> String {
        let name = slice.string(base, limit: 256) ?? ""
        return name.isEmpty ? "tool" : name.replacing("\t", with: " ")
    }
}
