import RalphWire

/// Rows of events files: each becomes an event, and some move the session on.
extension SessionNarrator {
    /// How far the clock of who dates a row may be ahead of that of who writes it.
    static let clockSkewMilliseconds: Int64 = 60_000

    mutating func readEngineObject(
        _ base: UnsafePointer<UInt8>, _ place: LinePlace, isRepaired: Bool, into batch: inout EventBatch
    ) {
        let isOfRun = isOfRun(place)
        if isOfRun, state.memory.heldStart > 0 { followHeldStart(base, into: &batch) }
        let context = EventBatch.Context(
            file: place.file, generation: place.generation, iteration: isOfRun ? state.iteration : 0,
            hat: isOfRun ? hatAtWork : "")
        let line = EngineLine(
            &encoder.members, base, inheritedIteration: context.iteration, inheritedHat: context.hat,
            fileTime: place.fileTime, isRepaired: isRepaired)
        if isOfRun {
            noteCount(of: line, into: &batch)
            if line.iteration > state.iteration, !line.kind.tellsOfIterations {
                reach(line, base, place, into: &batch)
            }
        }
        let told = encoder.append(
            line.fields, base: base, origin: line.origin, offset: place.offset,
            context: batch.contextIndex(context), isLive: true, to: &batch)
        state.engineEvents += 1
        noteTime(Self.believed(told, place.fileTime))
        if isStart(line, base) {
            beginRun(line, base, place, into: &batch)
        } else if isOfRun {
            follow(line, base, place, into: &batch)
        }
    }

    /// Whether what stands there may be of the last run. The agent of a killed one outlives it and writes to that one's file
    /// (contract 4.1): such rows are told and do nothing.
    private func isOfRun(_ place: LinePlace) -> Bool {
        place.file == state.memory.runFile || place.file == currentFile || currentFile == nil
            || state.memory.runFile.isEmpty
    }

    /// Remembers the time of a row that was read in an earlier life.
    mutating func recallRow(at time: Int64, fileTime: Int64) {
        state.lastEventAt = max(state.lastEventAt ?? .min, Self.believed(time, fileTime))
    }

    /// The time of a row; one that is dated later than its file was written is as new as that.
    static func believed(_ time: Int64, _ fileTime: Int64) -> Int64 {
        time > fileTime + clockSkewMilliseconds ? fileTime : time
    }

    /// Remembers the newest time of an event.
    mutating func noteTime(_ time: Int64) {
        if state.lastEventAt == nil, state.firstEventAt == nil {
            state.firstEventAt = time
            state.revision += 1
        }
        guard time > state.lastEventAt ?? .min else { return }
        previousEventAt = state.lastEventAt
        state.lastEventAt = time
    }

    /// An iteration has ended, and now another row comes: if it neither ends the run nor begins one, the next
    /// iteration has begun. A row that was appended for a person tells nothing of it.
    private mutating func followHeldStart(_ base: UnsafePointer<UInt8>, into batch: inout EventBatch) {
        let topic = encoder.members.value("topic", base)
        // What a person says begins nothing; nor does an answer where a pause holds the iteration that waited for it.
        let isAnswer = state.pauseRequestedAt != nil && topic.spells("human.response", base)
        if isAnswer || encoder.members.value("source", base).spells("user", base)
            || topic.spells("human.guidance", base) || isBesideWave(base)
        {
            return
        }
        let isOfLoop = encoder.members.value("hat", base).spells("loop", base)
        let isEnd =
            topic.spells("loop.terminate", base)
            && TerminateRow.ends(
                isOfLoop: isOfLoop, isOfUser: false,
                payload: encoder.members.value("payload", base).string(base))
        let isStart = isOfLoop && encoder.members.value("iteration", base).spells("0", base)
        guard !isEnd, !isStart else {
            state.memory.heldStart = 0
            return
        }
        let members = encoder.members
        if members.value("iteration", base).integer(base) == state.memory.heldStart {
            expectOwnHat(members.value("hat", base), base)
        }
        releaseStart(isDue: isBehindWave(base), into: &batch)
        encoder.members = members
    }

    /// A row of an iteration that nothing announced, as of a Ralph that writes no summaries: the one before has
    /// ended (http-contract 3.4).
    private mutating func reach(
        _ line: EngineLine, _ base: UnsafePointer<UInt8>, _ place: LinePlace, into batch: inout EventBatch
    ) {
        guard state.runEndedAt == nil, !state.hasAgentIterations else { return }
        let time = line.fields.timestamp
        let members = encoder.members
        if state.iteration > state.completedIteration {
            let figures = IterationFigures(duration: duration(of: state.iteration, until: time))
            complete(state.iteration, figures, at: time, isAgent: false, into: &batch)
        }
        let isFirst = line.iteration == 1 && place.offset == 0
        let isSeenWhole = isFirst || state.runs > 0 || state.iteration > 0
        expectOwnHat(line.hat, base)
        beginIteration(line.iteration, at: time, into: &batch)
        if !isSeenWhole { record(line.iteration) { $0.startedAt = nil } }
        encoder.members = members
    }

    private mutating func follow(
        _ line: EngineLine, _ base: UnsafePointer<UInt8>, _ place: LinePlace, into batch: inout EventBatch
    ) {
        switch line.kind {
        case .iterationSummary:
            adopt(place)
            endIteration(line, base, into: &batch)
            return
        case .loopTerminate: return endRun(line, base, place, into: &batch)
        case .iterationStarted: beginAnnouncedIteration(line, base, into: &batch)
        case .iterationCompleted: endAnnouncedIteration(line, base, into: &batch)
        case .humanInteract, .humanResponse, .buildDone, .reviewDone, .verifyPassed, .other: break
        }
        // What Ralph reads as malformed, or drops, is told and does nothing (contract 2.4, 2.5).
        let isRead = place.isWholeLine && line.isReadable && !line.topic.spells("iteration.summary", base)
        guard isRead || line.isOfAnotherTool else { return }
        // Whoever waits for that reads it himself.
        if line.kind == .humanResponse { answer(line, base) }
        if asksForWave(line, base) { return noteWave(line, base) }
        hear(line, base, place, into: &batch)
    }

    /// Takes in what a row says to the run.
    private mutating func hear(
        _ line: EngineLine, _ base: UnsafePointer<UInt8>, _ place: LinePlace, into batch: inout EventBatch
    ) {
        let isLater = isReadLater(line)
        var published = isLater ? nil : scopeViolation(line, base)
        let isInScope = published == nil
        if isInScope {
            switch line.kind {
            case .humanInteract: ask(line, base, place)
            // Ralph does not check what comes of a wave (contract 2.7).
            case .reviewDone where line.fields.waveID.kind != .missing: break
            case .buildDone, .reviewDone, .verifyPassed:
                if judge(line, base, into: &batch) == false { published = line.kind.refusal }
            case .humanResponse, .iterationSummary, .loopTerminate, .iterationStarted, .iterationCompleted,
                .other:
                break
            }
            noteRepetition(line, base)
            if published == nil { expectEcho(of: line, base) }
            // What comes behind the summary is none of the iteration's.
            if state.memory.heldStart == 0 || isReadWithWave(line) { noteEndRequest(line.topic, base) }
        }
        if isLater { return readLater(line, base, published: published) }
        noteTrigger(line, base, published: published, isAccepted: isInScope, into: &batch)
        noteWaveResult(line)
    }

    private mutating func expectEcho(of line: EngineLine, _ base: UnsafePointer<UInt8>) {
        guard AgentLine.isBusOnly(line.topic, base) else { return }
        state.memory.expect(
            .init(
                topic: line.topic.string(base, limit: 1024) ?? "",
                payload: line.payload.publishedText(base).fnv1a, iteration: state.iteration))
        state.revision += 1
    }

    private mutating func endRun(
        _ line: EngineLine, _ base: UnsafePointer<UInt8>, _ place: LinePlace, into batch: inout EventBatch
    ) {
        releaseUncountedEnd(into: &batch)
        if state.memory.runFile.isEmpty {
            // Nothing else of the run was read.
            state.completedIteration = max(state.completedIteration, line.iteration)
        }
        adopt(place)
        // One more may have been taken to begin.
        if line.iteration + 1 < state.iteration { takeBackClaims(behind: line.iteration) }
        let reason = TerminateRow.reason(in: line.payload.string(base) ?? "")
        endRun(reason, at: line.fields.timestamp, lastIteration: line.iteration, into: &batch)
        // What comes behind this row is read again by a run that is continued.
        state.memory.forgetCalls()
        state.memory.hasEndRow = true
    }

    /// Whether a row begins a run: iteration 0, hat `loop`, whatever the topic (contract 2.6), unless it ends one that
    /// did not come to its first iteration.
    private func isStart(_ line: EngineLine, _ base: UnsafePointer<UInt8>) -> Bool {
        line.iteration == 0 && line.hat.spells("loop", base) && line.kind != .loopTerminate
    }

    /// Rows of a file whose start row was not seen belong to the run that is going on in it.
    private mutating func adopt(_ place: LinePlace) {
        guard state.memory.runFile.isEmpty else { return }
        state.memory.runFile = place.file
        state.memory.runGeneration = place.generation
        state.revision += 1
    }

    /// Takes from the first line of a file that is not read from its beginning when its run began, and with what.
    mutating func noteBeginning(_ line: UnsafeRawBufferPointer) {
        var scan = LineScan(line)
        guard scan.next(&encoder.members) else { return }
        let first = EngineLine(
            &encoder.members, scan.base, inheritedIteration: 0, inheritedHat: "", fileTime: 0)
        guard first.fields.timestamp > 0 else { return }
        state.firstEventAt = first.fields.timestamp
        if isStart(first, scan.base) {
            state.prompt = first.payload.string(scan.base)
        }
        state.revision += 1
    }

    /// Takes the cost of the iterations before the lines that are read; a start row among them begins anew.
    ///
    /// - Parameter loop: read before these lines, so that it says no more than they do.
    mutating func noteCost(of loop: SessionFiles.LoopState) {
        guard let iteration = loop.iteration, iteration > 0, let cost = loop.totalCostUSD, cost > 0 else {
            return
        }
        state.cost = cost
        state.memory.costThrough = iteration
        state.revision += 1
    }

    // MARK: Questions and checks

    /// Takes in what is known of the session besides its lines.
    mutating func follow(_ session: DiscoveredSession) {
        mayWait = session.takesLock
        hasOutput = !session.agentOutput.isEmpty
        home = session.directory.workspace
    }

    /// What was asked under a number that the run does not have was asked in iteration `number`.
    mutating func renumberQuestions(behind number: Int) {
        for index in state.questions.indices
        where !state.questions[index].isOvertaken && state.questions[index].iteration > number {
            state.questions[index].iteration = number
        }
    }

    private mutating func ask(_ line: EngineLine, _ base: UnsafePointer<UInt8>, _ place: LinePlace) {
        if state.questions.count >= PendingQuestion.maximumKept {
            // Ralph waits for the first of an iteration: what is asked too much is what came last.
            guard let passed = state.questions.firstIndex(where: \.isOvertaken) else { return }
            state.questions.remove(at: passed)
        }
        let hat = line.hat.string(base, limit: 1024)?.lowercased() ?? hatAtWork
        let asked =
            line.payload.string(base, limit: .max).flatMap(PendingQuestion.asked(in:))
            ?? Self.asked(line.payload, base)
        state.questions.append(
            PendingQuestion(
                text: asked.text, askedAt: line.fields.timestamp,
                iteration: max(line.iteration, state.iteration),
                place: .init(file: place.file, generation: place.generation, offset: place.offset),
                hat: hat.isEmpty ? nil : hat, options: asked.options))
        state.revision += 1
    }

    /// A row of ours names its question by its marker; any other one answers the oldest that it can answer.
    private mutating func answer(_ line: EngineLine, _ base: UnsafePointer<UInt8>) {
        let marker = line.rowID.string(base, limit: 64)
        let own = marker.flatMap { marker in
            state.questions.firstIndex { $0.place?.answerMarker == marker }
        }
        guard let index = own ?? oldestQuestion(answeredBy: line) else { return }
        state.questions.remove(at: index)
        state.revision += 1
    }

    /// The question that a row answers which names none. A run that waits for answers does so from the end of the iteration
    /// that asked on: it sees no row from before, and takes none whose payload is no text (contract 6.5).
    private func oldestQuestion(answeredBy line: EngineLine) -> Int? {
        guard !state.questions.isEmpty else { return nil }
        guard let oldest = state.questions.firstIndex(where: { !$0.isOvertaken }) else { return 0 }
        guard mayWait, workspace?.isRobotEnabled == true, tellsEnds else { return oldest }
        let asked = state.questions[oldest].iteration
        // Ralph waits at once for what somebody asks between two iterations.
        let isBetween = state.hasAgentIterations && asked > state.memory.agentIteration
        let isWaitedFor = asked <= state.completedIteration || isBetween
        return isWaitedFor && line.payload.isString ? oldest : nil
    }

    /// Whether the end of an iteration is told when it comes: a Ralph that writes no summaries tells it with the next one, or
    /// never where its agents emit all they say. Before the first summary of a session only output tells which one it is.
    private var tellsEnds: Bool {
        state.hasAgentIterations || state.memory.heldStartAt > 0
            || hasOutput && state.completedIteration == 0
    }

    /// - Returns: the verdict; `nil`: there is none.
    private mutating func judge(
        _ line: EngineLine, _ base: UnsafePointer<UInt8>, into batch: inout EventBatch
    ) -> Bool? {
        let iteration = line.iteration > 0 ? line.iteration : state.iteration
        guard
            let verdict = BackpressureVerdict(
                line.kind, payload: line.payload.publishedText(base), at: line.fields.timestamp,
                iteration: iteration)
        else { return nil }
        state.backpressure = verdict
        state.revision += 1
        countGate(verdict.isPassed, at: verdict.at)
        var object = JSONObjectText()
        for (name, isPassed) in verdict.checks.sorted(by: { $0.key < $1.key }) { object.add(name, isPassed) }
        emit(
            "backpressure", topic: verdict.isPassed ? "backpressure.passed" : "backpressure.failed",
            at: verdict.at, iteration: iteration, hat: namedHat(line.hat, base),
            status: verdict.isPassed ? "pass" : "fail", triggered: verdict.topic, payload: object,
            into: &batch)
        return verdict.isPassed
    }

    /// A string's text, or the string member `key` of an object, or the compact JSON of anything else.
    private static func text(
        of payload: JSONSlice, _ base: UnsafePointer<UInt8>, preferring key: StaticString
    ) -> String {
        if let text = payload.string(base) { return text }
        if payload.kind == .object {
            var members: [JSONMember] = []
            var scanner = JSONScanner(base: base, count: Int(payload.end), index: Int(payload.start))
            if scanner.scanObject(into: &members), let text = members.value(key, base).string(base) {
                return text
            }
        }
        guard payload.kind != .missing, payload.kind != .null else { return "" }
        var bytes: [UInt8] = []
        payload.appendValue(base, to: &bytes)
        return String(decoding: bytes.prefixOfCharacters(8192), as: UTF8.self)
    }

    /// The question of a payload and the answers that it offers, `nil`: none; all of the payload where those cannot be shown.
    private static func asked(
        _ payload: JSONSlice, _ base: UnsafePointer<UInt8>
    ) -> (text: String, options: [String]?) {
        let offered = options(of: payload, base)
        let text = text(of: payload, base, preferring: offered == nil ? "" : "question")
        return (text, offered?.isEmpty == false ? offered : nil)
    }

    /// ``PendingQuestion/options(json:)`` of a question's payload.
    private static func options(of payload: JSONSlice, _ base: UnsafePointer<UInt8>) -> [String]? {
        guard payload.kind == .object else { return [] }
        var members: [JSONMember] = []
        var scanner = JSONScanner(base: base, count: Int(payload.end), index: Int(payload.start))
        guard scanner.scanObject(into: &members) else { return [] }
        let options = members.value("options", base)
        guard options.kind != .missing else { return [] }
        var bytes: [UInt8] = []
        options.appendValue(base, to: &bytes)
        return PendingQuestion.options(json: bytes)
    }
}
