import RalphWire

/// Lines of a run's own output: calls, text, and the exact hat of each iteration.
///
/// They and the events file tell partly the same; whichever comes first is the event. A line that is dropped
/// for what came before it starts a new context, see ``AgentPlace``.
extension SessionNarrator {
    /// Reads one object of a line, the members of which ``encoder`` has.
    ///
    /// - Parameter object: where the object stands behind `base`.
    mutating func readAgentObject(
        _ base: UnsafePointer<UInt8>, _ object: Range<Int>, _ place: LinePlace, isRepaired: Bool,
        into batch: inout EventBatch
    ) {
        let line = AgentLine(encoder.members, base)
        if isOfWorktree(line, base, place) { return drop(place, into: &batch) }
        let isAwaited = settleHeldEnd(before: line, base, place, into: &batch)
        if state.memory.heldStart > 0 || state.iteration > state.memory.announcedStart,
            line.kind != .iterationStart
        {
            followLostStart(base, place, into: &batch)
        }
        switch line.kind {
        case .dropped: state.droppedAgentLines += 1
        case .textDelta: addText(base, place, into: &batch)
        case .message: tellMessage(base, place, isRepaired: isRepaired, into: &batch)
        case .turnEnd: tellTurn(line, base, place, isRepaired: isRepaired, into: &batch)
        case .iterationEnd where !isAwaited:
            let bytes = UnsafeBufferPointer(start: base + object.lowerBound, count: object.count)
            let members = encoder.members
            if holdEnd(bytes, members, base, place, isRepaired: isRepaired, into: &batch) { return }
            tell(line, base, place, isRepaired: isRepaired, into: &batch)
        default: tell(line, base, place, isRepaired: isRepaired, into: &batch)
        }
    }

    /// A line of an iteration whose start was never told: that line is lost (contract 4.8). A row may have come before it,
    /// which shows that the iteration has begun and leaves the telling to the output.
    private mutating func followLostStart(
        _ base: UnsafePointer<UInt8>, _ place: LinePlace, into batch: inout EventBatch
    ) {
        let number = encoder.members.value("iteration", base).iteration(base) ?? 0
        let isHeld = state.memory.heldStart > 0
        guard state.hasAgentIterations, !state.memory.agentIsPast, state.runEndedAt == nil,
            number > max(state.memory.agentIteration, state.memory.announcedStart),
            isHeld ? number >= state.memory.heldStart : number == state.iteration
        else { return }
        let members = encoder.members
        flushText(into: &batch)
        if let end = state.memory.heldEnd, end.iteration < number { releaseEnd(into: &batch) }
        tellLostEnds(before: number, into: &batch)
        if isHeld {
            releaseStart(isOutputSilent: true, into: &batch)
        } else {
            tellLostStart(of: number, at: agentTime(place.fileTime), into: &batch)
        }
        state.memory.agentIteration = state.iteration
        state.memory.agentHat = state.hat
        state.memory.agentEnded = 0
        state.revision += 1
        encoder.members = members
    }

    private mutating func tellLostStart(of number: Int, at time: Int64, into batch: inout EventBatch) {
        var start = (hat: "", time: time)
        record(number) { record in
            start = (record.hat, record.startedAt ?? time)
            record.startedAt = start.time
        }
        let trigger = state.memory.workingCall?.trigger(of: start.hat)
        moveHat(to: start.hat, because: trigger, at: start.time, into: &batch)
        state.memory.announcedStart = number
        emit("iteration.started", at: start.time, into: &batch)
    }

    /// Makes an event of a line, with what it changes, unless somebody said it already.
    mutating func tell(
        _ line: AgentLine, _ base: UnsafePointer<UInt8>, _ place: LinePlace, isRepaired: Bool,
        into batch: inout EventBatch
    ) {
        let members = encoder.members
        flushText(into: &batch)
        let end = line.kind == .iterationEnd ? endTime(members, base, place.fileTime) : nil
        let isKept = prepare(line.kind, members, base, place, endedAt: end, into: &batch)
        encoder.members = members
        guard isKept else { return drop(place, into: &batch) }
        appendAgentLine(
            line, base, place, at: end ?? agentTime(place.fileTime), isRepaired: isRepaired, into: &batch)
        conclude(line.kind, members, base, place, into: &batch)
    }

    private mutating func appendAgentLine(
        _ line: AgentLine, _ base: UnsafePointer<UInt8>, _ place: LinePlace, at time: Int64,
        isRepaired: Bool, into batch: inout EventBatch
    ) {
        var agentPlace = AgentPlace(
            iteration: state.memory.agentIteration, hat: state.memory.agentHat, time: time,
            stretch: state.memory.agentStretch)
        if line.kind == .toolEnd {
            let id = encoder.members.value("tool_call_id", base).string(base, limit: 256)
            agentPlace.tool = takeOpenTool(id ?? "")
        }
        var fields = line.fields(&encoder.members, base, agentPlace)
        fields.isRepaired = isRepaired
        let context = agentPlace.context(file: place.file, generation: place.generation)
        let told = encoder.append(
            fields, base: base, origin: .agent, offset: place.offset, context: batch.contextIndex(context),
            isLive: true, to: &batch)
        state.agentEvents += 1
        noteTime(Self.believed(told, place.fileTime))
        if line.kind == .toolStart { figures.change(at: fields.timestamp) { $0.toolCalls += 1 } }
    }

    /// The time of a line that tells none: that of the file while the run goes on; of a run that is over,
    /// the newest time that its output told. What its last iteration still says before its end is told is no newer than that.
    func agentTime(_ fileTime: Int64) -> Int64 {
        let isOver = state.memory.agentIsPast || state.runEndedAt != nil
        guard isOver, let told = state.memory.agentTime else { return fileTime }
        guard !state.memory.agentIsPast, let end = state.memory.heldStop?.time,
            state.memory.agentIteration == state.iteration
        else { return told }
        return max(told, min(fileTime, end))
    }

    /// A summary is written within this of its iteration's end, milliseconds.
    private static let summaryDelay: Int64 = 1000

    /// When an iteration of the run that goes on ended, which no line says: its file may have been written to long after that
    /// before it is read, as while no server ran. `nil`: nothing tells it better than the file's time.
    ///
    /// Rows that are further on have told it, by the summary that the next iteration came behind; else how long it took does, as
    /// where that one waited for the results of a wave.
    private func endTime(
        _ members: [JSONMember], _ base: UnsafePointer<UInt8>, _ fileTime: Int64
    ) -> Int64? {
        guard !state.memory.agentIsPast, state.runEndedAt == nil else { return nil }
        let next = endedIteration(members, base) + 1
        let isHeld = state.memory.heldStart == next
        let nextStart = isHeld ? state.memory.heldStartAt : recordedIteration(next)?.startedAt
        // The output told that before: the iteration's own start, unless its line is lost.
        let told = state.memory.agentTime
        let duration = IterationFigures(members, base).duration.map { Int64($0) }
        let sum = told.flatMap { told in duration.map { told + $0 } }
        let hasWaited = sum.flatMap { sum in nextStart.map { $0 - sum > Self.summaryDelay } } ?? false
        guard let end = hasWaited ? sum : nextStart ?? sum else { return nil }
        return min(max(end, told ?? end), fileTime)
    }

    // MARK: Before and behind a line's own event

    /// What a line changes before its event stands; `false`: somebody said it already.
    private mutating func prepare(
        _ kind: AgentLine.Kind, _ members: [JSONMember], _ base: UnsafePointer<UInt8>, _ place: LinePlace,
        endedAt end: Int64?, into batch: inout EventBatch
    ) -> Bool {
        switch kind {
        case .loopStarted:
            beginAgentRun(members, base, place, into: &batch)
            return true
        case .iterationStart: return beginAgentIteration(members, base, place, into: &batch)
        case .iterationEnd: return endAgentIteration(members, base, place, at: end, into: &batch)
        case .toolStart:
            open(
                NarratorMemory.OpenTool(
                    id: members.value("tool_call_id", base).string(base, limit: 256) ?? "",
                    name: AgentLine.toolName(members.value("tool_name", base), base)))
            return true
        case .orchestration: return !isEcho(members, base)
        default: return true
        }
    }

    /// Whether what the output says went over the bus stands in the events file, and was told.
    private mutating func isEcho(_ members: [JSONMember], _ base: UnsafePointer<UInt8>) -> Bool {
        guard !state.memory.agentIsPast, state.memory.echoes != nil else { return false }
        let topic = members.value("topic", base).string(base, limit: 1024) ?? ""
        state.revision += 1
        return state.memory.takeEcho(topic, members.value("payload", base).publishedText(base).fnv1a)
    }

    /// What a line changes behind its event.
    private mutating func conclude(
        _ kind: AgentLine.Kind, _ members: [JSONMember], _ base: UnsafePointer<UInt8>, _ place: LinePlace,
        into batch: inout EventBatch
    ) {
        guard kind == .loopTerminated, !state.memory.agentIsPast,
            state.memory.output == nil || state.memory.output == Self.output(place)
        else { return }
        guard state.runEndedAt == nil else { return releaseOutputStop(into: &batch) }
        // The reason is coarse (contract 4.8): the events file may still say a better one.
        let reason = members.value("reason", base).string(base, limit: 64) ?? "unknown"
        let told = Self.milliseconds(members.value("terminated_at", base), base)
        let time = told.map { Self.believed($0, place.fileTime) } ?? state.lastEventAt ?? 0
        let last = members.value("total_iterations", base).iteration(base) ?? -1
        endRun(reason, at: time, lastIteration: last, isFromOutput: true, into: &batch)
        state.memory.endIsFromAgent = true
    }

    /// How ``NarratorMemory/output`` names a file.
    static func output(_ place: LinePlace) -> String { "\(place.file)#\(place.generation)" }

    private static func milliseconds(_ value: JSONSlice, _ base: UnsafePointer<UInt8>) -> Int64? {
        value.integer(base).flatMap { $0 <= Timestamp.latest ? Int64($0) : nil }
    }

    /// When what a line tells of began.
    private static func startTime(
        _ members: [JSONMember], _ base: UnsafePointer<UInt8>, _ place: LinePlace
    ) -> Int64 {
        let told = milliseconds(members.value("started_at", base), base)
        return told.map { believed($0, place.fileTime) } ?? place.fileTime
    }

    mutating func open(_ tool: NarratorMemory.OpenTool) {
        if state.memory.openTools.count == 32 { state.memory.openTools.removeFirst() }
        state.memory.openTools.append(tool)
        state.revision += 1
    }

    /// The name of the tool whose call `id` is; empty: none of that id is open.
    mutating func takeOpenTool(_ id: String) -> String {
        guard let index = state.memory.openTools.lastIndex(where: { $0.id == id }) else { return "" }
        state.revision += 1
        return state.memory.openTools.remove(at: index).name
    }

    // MARK: Runs and iterations

    private mutating func beginAgentRun(
        _ members: [JSONMember], _ base: UnsafePointer<UInt8>, _ place: LinePlace,
        into batch: inout EventBatch
    ) {
        let time = Self.startTime(members, base, place)
        state.memory.agentTime = time
        state.memory.agentHat = ""
        state.memory.agentIteration = 0
        state.memory.agentEnded = 0
        state.memory.openTools = []
        state.memory.terminal = nil
        state.revision += 1
        // Rows tell of the start by the same clock, whatever became of that until the file was written.
        let told = Self.milliseconds(members.value("started_at", base), base) ?? time
        let distance = state.runStartedAt.map { told - $0 } ?? .max
        let output = Self.output(place)
        let isOther = state.memory.output.map { $0 != output } ?? false
        let isUntold =
            state.memory.output == nil
            && (state.runStartedAt.map { state.memory.isUntold(at: told, start: $0) } ?? false)
        state.memory.agentIsPast =
            distance < -Self.sameRunMilliseconds || isOther && distance <= 0 || isUntold
        guard !state.memory.agentIsPast else { return }
        let prompt = members.value("prompt", base).string(base)
        if distance > Self.sameRunMilliseconds || isOther && distance > 0 {
            // Output alone does not tell a run that is continued; who asked for it does.
            startRun(at: time, prompt: prompt, isContinued: state.resumeRequestedAt != nil, into: &batch)
            state.memory.agentBeganRun = true
            state.memory.runFile = ""
        } else if let prompt {
            state.prompt = prompt
        }
        state.memory.output = output
        state.maxIterations = members.value("max_iterations", base).iteration(base)
    }

    private mutating func beginAgentIteration(
        _ members: [JSONMember], _ base: UnsafePointer<UInt8>, _ place: LinePlace,
        into batch: inout EventBatch
    ) -> Bool {
        let number = members.value("iteration", base).iteration(base) ?? 0
        let hat = members.value("hat", base).string(base, limit: 1024)?.lowercased() ?? ""
        let time = Self.startTime(members, base, place)
        // The output may be read from within the run on.
        let toldHat = state.memory.agentHat
        let oldHat = toldHat.isEmpty ? recordedIteration(number - 1)?.hat ?? "" : toldHat
        state.memory.agentTime = time
        state.memory.agentIteration = number
        state.memory.agentHat = hat
        state.memory.agentEnded = 0
        state.memory.terminal = nil
        state.revision += 1
        if isOfEarlierRun(at: time, place) { state.memory.agentIsPast = true }
        guard !state.memory.agentIsPast, number > 0 else { return true }
        tellLostEnds(before: number, into: &batch)
        state.hasAgentIterations = true
        let call = takeCall(of: number)
        noteCount(number)
        var derivedHat = ""
        record(number) { record in
            derivedHat = record.hat
            record.hat = hat
            record.startedAt = time
        }
        if number >= state.iteration {
            state.iteration = number
            moveHat(to: hat, because: call?.trigger(of: hat), at: time, into: &batch)
        } else if hat != oldHat, hat != derivedHat, !hat.isEmpty {
            emitHatChange(from: oldHat, to: hat, because: nil, iteration: number, at: time, into: &batch)
        }
        guard state.memory.announcedStart < number else { return false }
        state.memory.announcedStart = number
        return true
    }

    /// Whether an iteration that began at `time` may be of a run before the last one, as of output whose beginning was not
    /// read. What stands behind the last run's own beginning is not, though the clock be set back.
    private func isOfEarlierRun(at time: Int64, _ place: LinePlace) -> Bool {
        guard let start = state.runStartedAt, state.memory.output != Self.output(place) else { return false }
        return time < start - Self.sameRunMilliseconds
    }

    /// What called for the hat of the iteration that begins.
    private mutating func takeCall(of iteration: Int) -> NarratorMemory.Call? {
        if state.memory.heldStart > 0, iteration >= state.memory.heldStart {
            state.memory.heldStart = 0
            noteFallback()
            takeCalls()
            return state.memory.workingCall
        }
        // The summary of the iteration before may not be read yet.
        return iteration > state.iteration ? state.memory.nextCall : state.memory.workingCall
    }

    /// - Parameter end: see ``endTime(_:_:_:)``.
    private mutating func endAgentIteration(
        _ members: [JSONMember], _ base: UnsafePointer<UInt8>, _ place: LinePlace, at end: Int64?,
        into batch: inout EventBatch
    ) -> Bool {
        let number = endedIteration(members, base)
        let figures = IterationFigures(members, base)
        let isRepeated = state.memory.agentEnded == number
        if !isRepeated, let start = state.memory.agentTime, let duration = figures.duration {
            state.memory.agentTime = Self.believed(
                start + min(Int64(duration), 100_000_000_000), place.fileTime)
        }
        state.memory.agentEnded = number
        guard !state.memory.agentIsPast, number > 0 else { return !isRepeated }
        let isAnnounced = state.memory.announcedEnd >= number
        complete(number, figures, at: end ?? agentTime(place.fileTime), isAgent: true, into: &batch)
        return !isRepeated && !isAnnounced
    }

    // MARK: Text

    private mutating func addText(
        _ base: UnsafePointer<UInt8>, _ place: LinePlace, into batch: inout EventBatch
    ) {
        let delta = encoder.members.value("delta", base)
        let iteration =
            encoder.members.value("iteration", base).iteration(base) ?? state.memory.agentIteration
        if let text, !text.goesOn(at: place, iteration: iteration) { flushText(into: &batch) }
        if text == nil {
            text = AgentText(
                file: place.file, generation: place.generation, offset: place.offset, through: place.offset,
                iteration: iteration, hat: state.memory.agentHat, time: agentTime(place.fileTime),
                start: TerminalOutput(place: state.memory.terminal ?? .text))
        }
        text?.add(delta, base, at: place.offset)
        if let text, text.bytes.count >= AgentText.maximumBytes { flushText(into: &batch) }
    }

    /// Makes the text so far an event.
    mutating func flushText(into batch: inout EventBatch) {
        guard let text else { return }
        self.text = nil
        var output = text.start
        let fields = AgentText.fields(
            text.bytes, behind: &output, iteration: text.iteration, hat: text.hat, time: text.time)
        if output != text.start {
            state.memory.terminal = output.place
            state.revision += 1
        }
        guard let fields else { return }
        var place = AgentPlace(
            iteration: text.iteration, hat: text.hat, time: text.time, stretch: state.memory.agentStretch)
        place.through = text.through
        place.start = text.start
        encoder.members.removeAll(keepingCapacity: true)
        let told = encoder.append(
            fields, base: StaticString("").utf8Start, origin: .agent, offset: text.offset,
            context: batch.contextIndex(place.context(file: text.file, generation: text.generation)),
            isLive: true, to: &batch)
        state.agentEvents += 1
        noteTime(told)
    }
}
