import RalphWire

/// Output of headless runs (contract 2.7): the lines of a backend's own JSON stream between Ralph's banners, which alone say
/// which iteration goes on.
extension SessionNarrator {
    /// By how many milliseconds a file's time, which goes by the kernel's ticks, may be behind that of a row.
    private static let fileTick: Int64 = 20

    /// Reads a line that is no JSON, if it is the banner above an iteration.
    mutating func readBanner(_ line: UnsafeRawBufferPointer, _ place: LinePlace, into batch: inout EventBatch)
    {
        guard let number = IterationBanner.iteration(line), isOfLastRun(place), !state.hasAgentIterations
        else { return }
        flushText(into: &batch)
        if state.memory.output == nil { beginBackendOutput(place) }
        guard number <= state.iteration + 1, number >= state.memory.agentIteration else { return }
        if number > state.memory.agentIteration { endTurn(at: place.fileTime, into: &batch) }
        if number == state.memory.heldStart { releaseStart(into: &batch) }
        state.memory.agentIteration = number
        let expected = number > state.iteration ? state.memory.nextHat : state.hat
        state.memory.agentHat = recordedIteration(number)?.hat ?? expected
        state.revision += 1
    }

    /// Whether a line may be of the last run, which such output does not say: of the run's own output, or of one that was
    /// written to since it began while none of its own is known.
    private func isOfLastRun(_ place: LinePlace) -> Bool {
        guard state.memory.output == nil else { return isOwnOutput(place) }
        return place.fileTime >= (state.runStartedAt ?? .min) &- Self.fileTick
    }

    private func isOwnOutput(_ place: LinePlace) -> Bool { state.memory.output == Self.output(place) }

    private mutating func beginBackendOutput(_ place: LinePlace) {
        state.memory.agentTime = nil
        state.memory.agentIteration = 0
        state.memory.agentHat = ""
        state.memory.agentEnded = 0
        state.memory.openTools = []
        state.memory.terminal = nil
        state.memory.turn = nil
        state.memory.agentIsPast = false
        state.memory.output = Self.output(place)
        state.revision += 1
    }

    /// Makes the events of a message.
    mutating func tellMessage(
        _ base: UnsafePointer<UInt8>, _ place: LinePlace, isRepaired: Bool, into batch: inout EventBatch
    ) {
        let message = BackendMessage(encoder.members, base)
        flushText(into: &batch)
        for call in message.calls(base) { open(call) }
        var agentPlace = backendPlace(place)
        agentPlace.tools = message.resultIDs(base).map { takeOpenTool($0) }.map { $0.isEmpty ? "tool" : $0 }
        let context = batch.contextIndex(agentPlace.context(file: place.file, generation: place.generation))
        message.forEachEvent(base, agentPlace) { fields, members in
            var fields = fields
            fields.isRepaired = isRepaired
            encoder.members = members
            let told = encoder.append(
                fields, base: base, origin: .agent, offset: place.offset, context: context, isLive: true,
                to: &batch)
            state.agentEvents += 1
            noteTime(Self.believed(told, place.fileTime))
        }
        if message.parts.isEmpty { state.droppedAgentLines += 1 }
        let calls = message.parts.count { $0.kind == .toolCall }
        if calls > 0 { figures.change(at: agentPlace.time) { $0.toolCalls += Int64(calls) } }
        guard message.usage.kind == .object, isOfLastRun(place) else { return }
        var turn = openTurn(place)
        turn.add(message, base)
        state.memory.turn = turn
        state.revision += 1
    }

    /// Makes an event of the end of an agent's turn, and counts what it used.
    mutating func tellTurn(
        _ line: AgentLine, _ base: UnsafePointer<UInt8>, _ place: LinePlace, isRepaired: Bool,
        into batch: inout EventBatch
    ) {
        let members = encoder.members
        flushText(into: &batch)
        encoder.members = members
        let agentPlace = backendPlace(place)
        var fields = line.fields(&encoder.members, base, agentPlace)
        fields.isRepaired = isRepaired
        let told = encoder.append(
            fields, base: base, origin: .agent, offset: place.offset,
            context: batch.contextIndex(agentPlace.context(file: place.file, generation: place.generation)),
            isLive: true, to: &batch)
        state.agentEvents += 1
        noteTime(Self.believed(told, place.fileTime))
        guard isOfLastRun(place) else { return }
        let turn = openTurn(place)
        let isFurther = state.memory.turnsThrough == turn.iteration
        state.memory.turn = nil
        state.memory.turnsThrough = turn.iteration
        state.revision += 1
        account(
            turn.iteration, turn.figures(endingWith: members, base), at: agentPlace.time,
            isFurther: isFurther, into: &batch)
    }

    /// Counts what an agent had used that was ended before its turn was.
    mutating func endTurn(at fileTime: Int64, into batch: inout EventBatch) {
        guard let turn = state.memory.turn else { return }
        state.memory.turn = nil
        state.revision += 1
        account(turn.iteration, turn.figures, at: agentTime(fileTime), into: &batch)
    }

    /// Whether what the run has cost is told with its last event: its rows do not say that, and its output may still.
    var isCostLate: Bool { state.memory.turnsThrough != nil || state.memory.turn != nil }

    /// Says what the run has cost, if its output alone says that.
    mutating func tellLateCost(at time: Int64, into batch: inout EventBatch) {
        guard isCostLate else { return }
        endTurn(at: time, into: &batch)
        tellCost(at: time, into: &batch)
    }

    /// The turn that a backend's line is of; without a banner, that of the iteration that rows tell of.
    private func openTurn(_ place: LinePlace) -> BackendTurn {
        let told = isOwnOutput(place) ? state.memory.agentIteration : 0
        let iteration = told > 0 ? told : state.iteration
        guard let turn = state.memory.turn, turn.iteration == iteration else {
            return BackendTurn(iteration: iteration)
        }
        return turn
    }

    /// Without a banner, and of a run before the last one, nobody knows iteration and hat.
    private func backendPlace(_ place: LinePlace) -> AgentPlace {
        guard isOwnOutput(place) else {
            return AgentPlace(
                iteration: 0, hat: "", time: place.fileTime, stretch: state.memory.agentStretch)
        }
        return AgentPlace(
            iteration: state.memory.agentIteration, hat: state.memory.agentHat,
            time: agentTime(place.fileTime), stretch: state.memory.agentStretch)
    }
}

/// What a headless Ralph prints above each iteration: ` ITERATION 2 | ? builder | 0s elapsed | 2/30`.
enum IterationBanner {
    private static let opening = Array(" ITERATION ".utf8)
    private static let middle = Array(" elapsed | ".utf8)

    /// The iteration, from 1; `nil`: the line is none.
    static func iteration(_ line: UnsafeRawBufferPointer) -> Int? {
        guard line.starts(with: opening), line.count <= 1024 else { return nil }
        let digits = line.dropFirst(opening.count).prefix { (0x30...0x39).contains($0) }
        let rest = line[digits.endIndex...]
        guard (1...9).contains(digits.count), rest.starts(with: Array(" | ".utf8)),
            rest.contains(middle)
        else { return nil }
        let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return number > 0 ? number : nil
    }
}
