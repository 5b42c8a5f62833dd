import RalphWire

/// The members of an object of an events file, sorted by what they mean (contract 2.2, 2.3; http-contract
/// 15.3 for the other shapes that are met).
struct EngineLine {
    /// Topics that the narrator acts on (contract 2.9).
    enum Kind {
        case other, iterationSummary, loopTerminate, humanInteract, humanResponse
        case buildDone, reviewDone, verifyPassed
        /// Ralph writes none of these; other tools do, and name them by `type` (http-contract 15.3). A topic that is called so
        /// may be any hat's.
        case iterationStarted, iterationCompleted

        /// Whether such a row itself says which iteration begins or ends.
        var tellsOfIterations: Bool {
            switch self {
            case .iterationSummary, .loopTerminate, .iterationStarted, .iterationCompleted: true
            default: false
            }
        }

        /// What hats hear instead of a topic whose evidence Ralph does not believe (contract 2.5).
        var refusal: String? {
            switch self {
            case .buildDone: "build.blocked"
            case .reviewDone: "review.blocked"
            case .verifyPassed: "verify.failed"
            default: nil
            }
        }
    }

    var fields = EventFields()
    var kind = Kind.other
    /// ``EventOrigin/user`` where the row says `"source":"user"`: it was appended for a person.
    var origin = EventOrigin.engine
    /// The row's own, or -1. In one without a hat, unless it is another tool's, the member means nothing (contract 2.3, 2.4),
    /// though the event has it.
    var iteration = -1
    /// The row's own hat id as it is spelled, else `missing`.
    var hat = JSONSlice.missing
    /// `missing` if the row says no topic.
    var topic = JSONSlice.missing
    var payload = JSONSlice.missing
    /// The hat or event that the row says it activates.
    var triggered = JSONSlice.missing
    /// The row's own `id`, which stays a member that is not known.
    var rowID = JSONSlice.missing
    /// Whether Ralph takes it for an event (contract 2.4).
    var isReadable: Bool { topic.isString && ts.isString }
    /// Whether it is none of Ralph's rows, but of a tool that names its rows otherwise (http-contract 15.3).
    var isOfAnotherTool: Bool { !topic.isString && type.count > 0 }
    private var type = JSONSlice.missing
    private var ts = JSONSlice.missing
    private var timestamp = JSONSlice.missing
    private var tool = JSONSlice.missing
    private var status = JSONSlice.missing

    /// Takes what is known out of `members` and leaves the rest there.
    ///
    /// - Parameters:
    ///   - inheritedIteration: what the event gets if the row says none; 0: nothing.
    ///   - inheritedHat: what the event gets if the row says none; empty: nothing.
    ///   - fileTime: the event's time if the row says none that can be read.
    ///   - isRepaired: see ``LineScan``.
    init(
        _ members: inout [JSONMember], _ base: UnsafePointer<UInt8>, inheritedIteration: Int,
        inheritedHat: String, fileTime: Int64, isRepaired: Bool = false
    ) {
        fields.isRepaired = isRepaired
        for index in members.indices where take(members[index], base) {
            members[index].value = .missing
        }
        nameFields(base)
        dateFields(base, fileTime)
        fields.iteration = iteration >= 0 || inheritedIteration == 0 ? iteration : inheritedIteration
        let tells = hat.count > 0 || kind.tellsOfIterations || isOfAnotherTool
        if !tells || iteration > JSONSlice.maximumIteration { iteration = -1 }
        if hat.count > 0 {
            fields.hat = Self.isLowerCase(hat, base) ? .slice(hat) : .text(Self.lowerCase(hat, base))
        } else if !inheritedHat.isEmpty {
            fields.hat = .text(inheritedHat)
        }
        if tool.isString { fields.tool = .slice(tool) }
        if status.isString { fields.status = .slice(status) }
        fields.triggered = .slice(triggered)
        fields.payload = .slice(payload)
    }

    /// Whether the objects of `line` were written before `time`, milliseconds since 1970; `nil`: none says when.
    static func isOlder(_ line: UnsafeRawBufferPointer, than time: Int64) -> Bool? {
        var members: [JSONMember] = []
        var scan = LineScan(line)
        var isOlder: Bool?
        while scan.next(&members) {
            let row = EngineLine(
                &members, scan.base, inheritedIteration: 0, inheritedHat: "", fileTime: .max)
            guard row.fields.timestamp < .max else { continue }
            isOlder = isOlder != false && row.fields.timestamp < time
        }
        return isOlder
    }

    private mutating func take(_ member: JSONMember, _ base: UnsafePointer<UInt8>) -> Bool {
        let value = member.value
        switch member.key.count {
        case 2 where member.key.spells("ts", base): return Self.keepTime(value, &ts)
        case 2 where member.key.spells("id", base):
            rowID = value
            return false
        case 3 where member.key.spells("hat", base): return Self.keepString(value, &hat)
        case 4 where member.key.spells("type", base): return Self.keepString(value, &type)
        case 4 where member.key.spells("tool", base): return Self.keepString(value, &tool)
        case 5 where member.key.spells("topic", base): return Self.keepString(value, &topic)
        case 5 where member.key.spells("input", base):
            if value.kind == .object { fields.input = value }
            return value.kind == .object
        case 6 where member.key.spells("status", base): return Self.keepString(value, &status)
        case 6 where member.key.spells("output", base): return Self.keepString(value, &fields.output)
        case 6 where member.key.spells("source", base):
            guard value.isString, value.spells("user", base) else { return false }
            origin = .user
            return true
        case 7 where member.key.spells("payload", base):
            payload = value
            return true
        case 7 where member.key.spells("wave_id", base): return Self.keepString(value, &fields.waveID)
        case 8 where member.key.spells("duration", base): return Self.keep(value, base, &fields.duration)
        case 9: return takeLonger(member, base)
        case 10 where member.key.spells("wave_index", base): return Self.keep(value, base, &fields.waveIndex)
        case 10 where member.key.spells("wave_total", base): return Self.keep(value, base, &fields.waveTotal)
        case 13 where member.key.spells("blocked_count", base):
            return Self.keep(value, base, &fields.blockedCount)
        default: return false
        }
    }

    private mutating func takeLonger(_ member: JSONMember, _ base: UnsafePointer<UInt8>) -> Bool {
        if member.key.spells("iteration", base) { return Self.keep(member.value, base, &iteration) }
        if member.key.spells("triggered", base) { return Self.keepString(member.value, &triggered) }
        return member.key.spells("timestamp", base) && Self.keepTime(member.value, &timestamp)
    }

    private static func keepString(_ value: JSONSlice, _ place: inout JSONSlice) -> Bool {
        if value.isString { place = value }
        return value.isString
    }

    private static func keepTime(_ value: JSONSlice, _ place: inout JSONSlice) -> Bool {
        let isTime = value.isString || value.kind == .integer
        if isTime { place = value }
        return isTime
    }

    private static func keep(_ value: JSONSlice, _ base: UnsafePointer<UInt8>, _ place: inout Int) -> Bool {
        guard let number = value.integer(base) else { return false }
        place = number
        return true
    }

    // MARK: Names

    private mutating func nameFields(_ base: UnsafePointer<UInt8>) {
        if topic.count > 0 {
            fields.topic = .slice(topic)
            kind = Self.kind(of: topic, base)
            if kind.tellsOfIterations, !movesRun(base) { kind = .other }
        } else {
            topic = .missing
            fields.topic = type.count > 0 ? .slice(type) : .literal("event.published")
        }
        if kind == .other, type.count > 0 { kind = Self.kind(ofType: type, base) }
        if type.count > 0 {
            fields.type = .slice(type)
        } else if kind == .other, topic.spells("loop.terminate", base) {
            fields.type = .literal("event.published")
        } else {
            fields.type = .literal(Self.type(of: topic, base))
        }
    }

    /// Whether a row whose topic begins or ends an iteration, or ends a run, does so; those of agents and hats are no more than
    /// events (contract 2.2, 2.5).
    private func movesRun(_ base: UnsafePointer<UInt8>) -> Bool {
        if hat.spells("loop", base) { return true }
        return kind == .loopTerminate
            && TerminateRow.ends(isOfLoop: false, isOfUser: origin == .user, payload: payload.string(base))
    }

    private static func kind(of topic: JSONSlice, _ base: UnsafePointer<UInt8>) -> Kind {
        switch topic.count {
        case 10 where topic.spells("build.done", base): .buildDone
        case 11 where topic.spells("review.done", base): .reviewDone
        case 13 where topic.spells("verify.passed", base): .verifyPassed
        case 14 where topic.spells("loop.terminate", base): .loopTerminate
        case 14 where topic.spells("human.interact", base): .humanInteract
        case 14 where topic.spells("human.response", base): .humanResponse
        case 17 where topic.spells("iteration.summary", base): .iterationSummary
        default: kind(ofType: topic, base)
        }
    }

    private static func kind(ofType type: JSONSlice, _ base: UnsafePointer<UInt8>) -> Kind {
        switch type.count {
        case 17 where type.spells("iteration.started", base): .iterationStarted
        case 19 where type.spells("iteration.completed", base): .iterationCompleted
        default: .other
        }
    }

    /// The type of a row that says none, by its topic (http-contract 4.3).
    private static func type(of topic: JSONSlice, _ base: UnsafePointer<UInt8>) -> StaticString {
        switch topic.count {
        case 6 where topic.spells("result", base): "result"
        case 9 where topic.spells("assistant", base): "assistant"
        case 11 where topic.spells("hat.changed", base): "hat.transition"
        case 13 where topic.spells("hat.activated", base): "hat.activated"
        case 14 where topic.spells("human.guidance", base): "human.guidance"
        case 14 where topic.spells("human.interact", base): "human.interact"
        case 14 where topic.spells("human.response", base): "human.response"
        case 14 where topic.spells("loop.terminate", base): "loop.terminate"
        default: topic.begins(with: "backpressure.", base) ? "backpressure" : "event.published"
        }
    }

    // MARK: Time and hat

    private mutating func dateFields(_ base: UnsafePointer<UInt8>, _ fileTime: Int64) {
        let source = ts.kind != .missing ? ts : timestamp
        fields.timestampSource = source
        fields.timestamp = Self.time(source, base) ?? fileTime
    }

    /// RFC 3339, or whole seconds or milliseconds since 1970.
    static func time(_ source: JSONSlice, _ base: UnsafePointer<UInt8>) -> Int64? {
        if source.isString { return Timestamp.parse(UnsafeRawBufferPointer(source.buffer(base))) }
        guard let number = source.integer(base) else { return nil }
        let milliseconds = Int64(number < 100_000_000_000 ? number * 1000 : number)
        return milliseconds <= Timestamp.latest ? milliseconds : nil
    }

    private static func isLowerCase(_ hat: JSONSlice, _ base: UnsafePointer<UInt8>) -> Bool {
        !hat.traits.contains(.escapes) && !hat.buffer(base).contains { $0 &- 0x41 < 26 || $0 >= 0x80 }
    }

    private static func lowerCase(_ hat: JSONSlice, _ base: UnsafePointer<UInt8>) -> String {
        (hat.string(base, limit: 1024) ?? "").lowercased()
    }
}
