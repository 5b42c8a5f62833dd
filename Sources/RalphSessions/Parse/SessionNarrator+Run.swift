import RalphWire

/// The life of a run: start, iterations, end.
extension SessionNarrator {
    /// A start row and the run's own output tell of the same run if they are at most this far apart, and no
    /// other row or output told of it.
    static let sameRunMilliseconds: Int64 = 5000
    /// Milliseconds. A run's last row comes behind the summary of its last iteration within three (recordings), or
    /// after the 250 for which Ralph waits where no hat has work (contract 2.4).
    static let minimumStartDelay: Int64 = 400
    /// The same where the iteration promised that the work is done, and Ralph believes it or goes on: longer than a hook may
    /// take that nobody configured otherwise (contract 4.4).
    static let patientStartDelay: Int64 = 35_000
    package static let maximumIterations = 1000

    // MARK: Start

    /// The start row: iteration 0, hat `loop`, whatever the topic (contract 2.6).
    mutating func beginRun(
        _ line: EngineLine, _ base: UnsafePointer<UInt8>, _ place: LinePlace, into batch: inout EventBatch
    ) {
        let time = line.fields.timestamp
        let isKnown = state.memory.runFile == place.file && state.memory.runGeneration == place.generation
        state.memory.runFile = place.file
        state.memory.runGeneration = place.generation
        state.revision += 1
        if !isKnown, state.memory.hasStartRow != true, state.hasAgentIterations || state.memory.agentBeganRun,
            let start = state.runStartedAt, abs(start - time) <= Self.sameRunMilliseconds,
            state.runEndedAt.map({ time <= $0 }) ?? true
        {
            state.memory.hasStartRow = true
            return
        }
        releaseEnd(into: &batch)
        // What the output of the run before still tells is not of this one.
        if state.memory.output != nil { state.memory.agentIsPast = true }
        let prompt = line.payload.string(base)
        let isContinued = saysContinued(line.topic, base) ?? isKnown
        startRun(at: time, prompt: prompt, isContinued: isContinued, into: &batch)
        state.memory.hasStartRow = true
        noteStart(line, base, isContinued: isContinued)
        beginIteration(state.completedIteration + 1, at: time, into: &batch)
    }

    /// What the topic of a start row says of it; `nil`: nothing, as where one is configured for both (contract 2.6).
    private func saysContinued(_ topic: JSONSlice, _ base: UnsafePointer<UInt8>) -> Bool? {
        if let configured = workspace?.startingEvent, topic.equals(configured, base) { return nil }
        if topic.spells("task.resume", base) { return true }
        return topic.spells("task.start", base) && workspace?.areHatsKnown != false ? false : nil
    }

    /// Forgets the run before and says that a new one began.
    mutating func startRun(
        at time: Int64, prompt: String?, isContinued: Bool, into batch: inout EventBatch
    ) {
        releaseStop(into: &batch)
        countStart(at: time)
        state.memory.noteStart(at: time, behind: state.runStartedAt)
        state.runBeforeEndedAt = state.runs == 0 ? nil : state.runEndedAt ?? lastEvent(before: time)
        state.runs += 1
        state.runStartedAt = time
        state.runEndedAt = nil
        state.endReason = nil
        state.maxIterations = nil
        if let prompt { state.prompt = prompt }
        state.hasAgentIterations = false
        if !isContinued {
            state.hat = ""
            state.triggerEvent = nil
            state.completedIteration = 0
            state.iteration = 0
            state.outputTokens = 0
            state.lastInputTokens = 0
            state.peakInputTokens = 0
            state.cost = 0
            state.backpressure = nil
        }
        for index in state.questions.indices { state.questions[index].isOvertaken = true }
        state.memory.beginRun(after: state.completedIteration, isContinued: isContinued)
        state.revision += 1
        var payload = JSONObjectText()
        payload.add("reason", isContinued ? "continued" : "started")
        payload.add("run", state.runs)
        emit("session.started", at: time, payload: payload, into: &batch)
        emitResumption(at: time, into: &batch)
    }

    // MARK: Iterations

    /// Goes to iteration `number`, with the hat that the events before it call for.
    ///
    /// - Parameter isOutputSilent: the run's output has not told what it should have; it counts for nothing here.
    mutating func beginIteration(
        _ number: Int, at time: Int64, isOutputSilent: Bool = false, into batch: inout EventBatch
    ) {
        let isTold = state.hasAgentIterations && !isOutputSilent
        tellUntoldHat(before: number, at: time, into: &batch)
        state.iteration = number
        state.revision += 1
        if number > 1 { noteFallback() }
        let hat = nextHat
        let trigger = state.memory.nextTrigger
        takeCalls()
        // After a downtime, say, output is read behind rows that are further on: it tells too late.
        if !isTold || number > state.memory.agentIteration + 1 {
            moveHat(to: hat, because: trigger, at: time, into: &batch)
        } else {
            state.memory.untoldHat = number
        }
        record(number) { record in
            if record.startedAt == nil { record.startedAt = time }
            if record.hat.isEmpty { record.hat = hat }
        }
        guard !isTold, state.memory.announcedStart < number else { return }
        state.memory.announcedStart = number
        emit("iteration.started", at: time, into: &batch)
    }

    /// Says which hat the iteration before had, where the output was to say it and rows are further on.
    private mutating func tellUntoldHat(before number: Int, at time: Int64, into batch: inout EventBatch) {
        guard let untold = state.memory.untoldHat else { return }
        state.memory.untoldHat = nil
        guard let record = recordedIteration(untold), untold < number, untold > state.memory.agentIteration
        else { return }
        let trigger = state.memory.workingCall?.trigger(of: record.hat)
        moveHat(to: record.hat, because: trigger, at: record.startedAt ?? time, into: &batch)
    }

    /// Where the hats are known, Ralph itself works where no hat is called for; but where none is configured and a row of
    /// the run named one all the same, those to come say.
    private var nextHat: String {
        if !state.memory.nextHat.isEmpty { return state.memory.nextHat }
        guard let workspace, workspace.areHatsKnown else { return "" }
        let isNamed =
            workspace.hats.isEmpty
            && state.iterations.contains { $0.run == state.runs && !["", "ralph"].contains($0.hat) }
        return isNamed ? "" : "ralph"
    }

    /// Goes to `hat`, which each iteration calls for anew; says so where it is another one. Who does not know what called
    /// for the same hat again says nothing against what did.
    mutating func moveHat(
        to hat: String, because trigger: String?, at time: Int64, into batch: inout EventBatch
    ) {
        let old = state.hat
        let known = hat == old ? state.triggerEvent : nil
        let trigger = trigger.flatMap { $0.isEmpty ? nil : $0 } ?? known
        guard hat != old || trigger != state.triggerEvent else { return }
        state.hat = hat
        state.triggerEvent = trigger
        state.revision += 1
        guard hat != old, !hat.isEmpty else { return }
        emitHatChange(
            from: old, to: hat, because: state.triggerEvent, iteration: state.iteration, at: time,
            into: &batch
        )
    }

    /// An `iteration.summary` row.
    mutating func endIteration(
        _ line: EngineLine, _ base: UnsafePointer<UInt8>, into batch: inout EventBatch
    ) {
        let time = line.fields.timestamp
        let number = line.iteration > 0 ? line.iteration : max(state.iteration, 1)
        let figures = IterationFigures(payload: line.payload, base)
        takeBackClaims(behind: number)
        state.iteration = max(state.iteration, number)
        complete(number, figures, at: time, isAgent: false, into: &batch)
        // The run's output may be one further on.
        let isAhead = state.hasAgentIterations && number + 1 == state.iteration
        guard number >= state.iteration || isAhead, state.runEndedAt == nil else { return }
        noteSelfTalk()
        if isAhead {
            noteFallback()
            takeCalls()
            // What called for the hat may have been read behind the output's word on it.
            if let trigger = state.memory.workingCall?.trigger(of: state.hat) { state.triggerEvent = trigger }
            return
        }
        state.memory.wave?.isPromised = state.memory.endIsAsked
        state.memory.heldStart = number + 1
        state.memory.heldStartAt = time
        state.memory.skipsCooldown = state.memory.hasHumanEvent
    }

    /// Forgets the iterations behind `number` that rows claimed: the loop itself says that it is no further, and agents
    /// may write what they like.
    mutating func takeBackClaims(behind number: Int) {
        guard number > 0, number < state.iteration, !state.hasAgentIterations, state.runEndedAt == nil else {
            return
        }
        state.iteration = number
        state.completedIteration = min(state.completedIteration, number)
        state.iterations.removeAll { $0.run == state.runs && $0.number > number }
        state.memory.takeBackClaims(behind: number)
        renumberQuestions(behind: number)
    }

    /// A row that says itself that an iteration has begun, and is its event.
    mutating func beginAnnouncedIteration(
        _ line: EngineLine, _ base: UnsafePointer<UInt8>, into batch: inout EventBatch
    ) {
        let number = line.iteration
        guard number > 0, state.runEndedAt == nil else { return }
        state.memory.announcedStart = max(state.memory.announcedStart, number)
        if number > state.iteration {
            expectOwnHat(line.hat, base)
            beginIteration(number, at: line.fields.timestamp, into: &batch)
        }
        let hat = line.hat.string(base, limit: 1024)?.lowercased() ?? ""
        record(number) { record in
            if record.startedAt == nil { record.startedAt = line.fields.timestamp }
            if record.hat.isEmpty { record.hat = hat }
        }
    }

    /// A row that says itself that an iteration is over, and is its event.
    mutating func endAnnouncedIteration(
        _ line: EngineLine, _ base: UnsafePointer<UInt8>, into batch: inout EventBatch
    ) {
        let number = line.iteration
        guard number > 0, state.runEndedAt == nil else { return }
        var figures = IterationFigures(payload: line.payload, base)
        if figures.duration == nil {
            figures = IterationFigures(duration: duration(of: number, until: line.fields.timestamp))
        }
        state.iteration = max(state.iteration, number)
        state.memory.announcedEnd = max(state.memory.announcedEnd, number)
        complete(number, figures, at: line.fields.timestamp, isAgent: false, into: &batch)
    }

    /// Milliseconds from the start of iteration `number` of the last run to `time`; `nil`: its start was not seen.
    func duration(of number: Int, until time: Int64) -> Int? {
        recordedIteration(number)?.startedAt.map { Int(max(0, time - $0)) }
    }

    /// Iteration `number` is over; says so unless it was said, or the run's own output says it.
    mutating func complete(
        _ number: Int, _ figures: IterationFigures, at time: Int64, isAgent: Bool,
        into batch: inout EventBatch
    ) {
        countIteration(number, at: time, duration: figures.duration)
        state.completedIteration = max(state.completedIteration, number)
        state.revision += 1
        for index in state.questions.indices where state.questions[index].iteration < number {
            state.questions[index].isOvertaken = true
        }
        record(number) { record in
            guard let duration = figures.duration else { return }
            record.durationMilliseconds = Int64(duration)
            // A row may have been the first that told of it.
            record.startedAt = min(record.startedAt ?? .max, time - Int64(duration))
        }
        if state.memory.announcedEnd < number, isAgent || !state.hasAgentIterations {
            state.memory.announcedEnd = number
            if !isAgent {
                announceMissedStart(of: number, at: time, into: &batch)
                emit(
                    "iteration.completed", at: time, iteration: number, payload: figures.payload, into: &batch
                )
            }
        }
        account(number, figures, at: time, into: &batch)
    }

    /// Says that iteration `number` started where its end is told first: a run that its output began, and whose first
    /// summary is read before more of that output is.
    private mutating func announceMissedStart(
        of number: Int, at time: Int64, into batch: inout EventBatch
    ) {
        guard state.memory.output != nil, state.memory.announcedStart == number - 1 else { return }
        state.memory.announcedStart = number
        var start = time
        record(number) { record in
            start = record.startedAt ?? time
            record.startedAt = start
        }
        emit("iteration.started", at: start, iteration: number, into: &batch)
    }

    /// Adds up what an iteration used, once, and tells the client, which adds it up too (http-contract 4.3).
    ///
    /// - Parameter isFurther: it is another turn of an iteration that had one.
    mutating func account(
        _ number: Int, _ figures: IterationFigures, at time: Int64, isFurther: Bool = false,
        into batch: inout EventBatch
    ) {
        guard figures.isUsed, isFurther || state.memory.announcedUsage < number else { return }
        state.memory.announcedUsage = number
        countUsage(figures, at: time)
        state.outputTokens = min(state.outputTokens + figures.outputTokens, 1 << 53)
        state.lastInputTokens = figures.inputTokens
        state.peakInputTokens = max(state.peakInputTokens, figures.inputTokens)
        if number > state.memory.costThrough ?? 0 {
            // To the nanodollar, as figures are kept: 0.1 and 0.2 are 0.3.
            state.cost = ((state.cost + figures.cost) * 1e9).rounded() / 1e9
        }
        guard figures.inputTokens + figures.outputTokens > 0 else { return }
        emit("assistant", at: time, iteration: number, payload: figures.usage, into: &batch)
    }

    /// The record of iteration `number` of the last run.
    func recordedIteration(_ number: Int) -> IterationRecord? {
        state.iterations.index(of: number, run: state.runs).map { state.iterations[$0] }
    }

    /// Changes the record of iteration `number` of the last run; makes it if there is none.
    mutating func record(_ number: Int, _ change: (inout IterationRecord) -> Void) {
        if let index = state.iterations.index(of: number, run: state.runs) {
            change(&state.iterations[index])
            return
        }
        var new = IterationRecord(run: state.runs, number: number, hat: "", startedAt: nil)
        change(&new)
        if state.iterations.count == Self.maximumIterations { state.iterations.removeFirst() }
        state.iterations.append(new)
    }

    // MARK: End

    /// Forgets an iteration that was to follow `last` and did not; negative: nothing says which was the last, so one
    /// goes that nobody said had begun.
    private mutating func takeBackIteration(after last: Int) {
        let completed = state.completedIteration
        let isUntold = last < 0 && completed > 0 && state.memory.announcedStart <= completed
        let last = isUntold ? completed : last
        guard last >= 0, state.iteration == last + 1 else { return }
        state.iteration = last
        state.iterations.removeAll { $0.run == state.runs && $0.number > last }
        state.memory.untoldHat = nil
        guard let hat = recordedIteration(last)?.hat, !hat.isEmpty, hat != state.hat else { return }
        (state.hat, state.triggerEvent) = (hat, nil)
    }

    /// Says what the run has cost, if it has.
    mutating func tellCost(at time: Int64, into batch: inout EventBatch) {
        guard state.cost > 0 else { return }
        var payload = JSONObjectText()
        payload.add("total_cost_usd", state.cost)
        let start = state.runStartedAt ?? state.firstEventAt ?? time
        payload.add("duration_ms", max(0, Int(time - start)))
        emit("result", at: time, payload: payload, into: &batch)
    }

    /// The run is over; only the first to say so is heard, and a later word on why.
    ///
    /// - Parameters:
    ///   - lastIteration: the newest iteration that ran, 0: none did; negative: not said.
    ///   - isOwnWord: the run's files say it; else it was found dead.
    ///   - isFromOutput: its output says it.
    mutating func endRun(
        _ reason: String, at time: Int64, lastIteration: Int, isOwnWord: Bool = true,
        isFromOutput: Bool = false, into batch: inout EventBatch
    ) {
        state.memory.heldStart = 0
        state.revision += 1
        guard state.runEndedAt == nil else {
            if state.memory.endIsFromAgent {
                state.endReason = reason
                state.memory.heldStop?.reason = reason
            }
            state.memory.endIsFromAgent = false
            return
        }
        releaseUncountedEnd(into: &batch)
        countEnd(at: time)
        state.runEndedAt = time
        state.endReason = reason
        state.memory.forgetCalls()
        state.memory.endIsAsked = false
        if lastIteration > state.iteration { state.iteration = lastIteration }
        takeBackIteration(after: lastIteration)
        if !isCostLate { tellCost(at: time, into: &batch) }
        tellEnd(reason, at: time, isOwnWord: isOwnWord, isFromOutput: isFromOutput, into: &batch)
    }
}
