package import RalphWire

/// What the control side says of a session: events of its own, and requests that the run's rows answer.
extension SessionNarrator {
    /// More than the time that the system gives a file is behind its clock, milliseconds.
    private static let fileTimeLag: Int64 = 100

    /// Takes up one note; see ``ControlNote`` for what each comes to.
    package mutating func note(_ note: ControlNote, into batch: inout EventBatch) {
        flushText(into: &batch)
        switch note {
        case .event(let type, let payload, let time): emit(type, payload: payload, at: time, into: &batch)
        case .requested(let request, let time): setRequest(request, time)
        case .withdrawn(let request):
            if request == .stop { releaseStop(into: &batch) }
            setRequest(request, nil)
        case .signal(let sentinel, let episode, let payload, let time, let since):
            signal(sentinel, episode: episode, payload: payload, at: time, since: since, into: &batch)
        case .signalOver(let sentinel, let payload, let time):
            endSignal(sentinel, payload: payload, at: time, into: &batch)
        case .ended(let reason, let time):
            // A run that began just after the note was made has not ended; one that is dated much later was
            // before the clock was set back.
            let lead = state.runStartedAt.map { $0 - time } ?? 0
            guard state.runEndedAt == nil, !(1...Self.clockSkewMilliseconds).contains(lead) else { return }
            // What was concluded from a file's time may be a few milliseconds behind that of its last row.
            let end = max(time, min(state.lastEventAt ?? time, time + Self.fileTimeLag))
            endRun(reason, at: end, lastIteration: -1, isOwnWord: false, into: &batch)
        }
    }

    /// Remembers when something was asked for; `nil`: it is not any more.
    private mutating func setRequest(_ request: ControlNote.Request, _ time: Int64?) {
        switch request {
        case .pause, .pauseNow:
            state.pauseRequestedAt = time
            state.isPauseNow = request == .pauseNow ? true : nil
        case .stop: state.stopRequestedAt = time
        case .resume: state.resumeRequestedAt = time
        }
        state.revision += 1
    }

    /// Tells of a run's end, and of the request that it answers.
    ///
    /// - Parameters:
    ///   - isOwnWord: the run's files say it; else it was found dead.
    ///   - isLate: it is told later than it came, and younger requests are of the next run.
    mutating func emitEnd(
        _ reason: String, at time: Int64, isOwnWord: Bool, isLate: Bool = false, into batch: inout EventBatch
    ) {
        tellLateCost(at: time, into: &batch)
        var payload = JSONObjectText()
        payload.add("reason", reason)
        // A request that is younger than the end did not bring it about.
        let stop = state.stopRequestedAt.flatMap { $0 <= time ? $0 : nil }
        let pause = state.pauseRequestedAt.flatMap { $0 <= time ? $0 : nil }
        // By the stop file, or an agent that was ended at once and said 130 (contract 4.1).
        let isPaused = reason == "interrupted" || reason == "stopped" && state.isPauseNow != true
        let isPause = pause != nil && stop == nil && isPaused
        if let asked = isPause ? pause : stop {
            if isPause { payload.add("means", "ended") }
            payload.add("requested_at", Timestamp.text(asked))
            payload.add("effective_at", Timestamp.text(time))
        }
        if !isLate || pause != nil { state.pauseRequestedAt = nil }
        if !isLate || stop != nil { state.stopRequestedAt = nil }
        if isPause {
            emit("session.paused", at: time, payload: payload, into: &batch)
        } else if !isOwnWord || TerminateRow.status(ofReason: reason) == "stopped" {
            emit("session.stopped", at: time, payload: payload, into: &batch)
        } else {
            emit("session.completed", at: time, payload: payload, into: &batch)
        }
    }

    /// Tells that the run that just began is the one that a resume asked for, if one did.
    mutating func emitResumption(at time: Int64, into batch: inout EventBatch) {
        // What was asked of the run before is over with it; a stop may have come while this one started.
        if state.pauseRequestedAt ?? .max < time { state.pauseRequestedAt = nil }
        if state.stopRequestedAt ?? .max < time { state.stopRequestedAt = nil }
        guard let asked = state.resumeRequestedAt else { return }
        state.resumeRequestedAt = nil
        var payload = JSONObjectText()
        payload.add("means", "continued")
        payload.add("requested_at", Timestamp.text(asked))
        payload.add("effective_at", Timestamp.text(time))
        payload.add("run", state.runs)
        emit("session.resumed", at: time, payload: payload, into: &batch)
    }

    /// Appends a `server` event of any type, with a payload that is a JSON object's text, compact or not.
    mutating func emit(
        _ type: String, payload: String, at time: Int64, into batch: inout EventBatch
    ) {
        var fields = EventFields()
        fields.payload = Self.payload(payload)
        emit(&fields, type: .text(type), at: time, into: &batch)
    }

    /// The object as one line that clients can read (http-contract 4.2); other text as it is.
    private static func payload(_ text: String) -> EventFields.Payload {
        let bytes = Array(text.utf8)
        let object: [UInt8]? = bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return nil }
            var members: [JSONMember] = []
            var scanner = JSONScanner(base: base, count: buffer.count)
            scanner.skipSpaces()
            guard scanner.scanObject(into: &members) else { return nil }
            scanner.skipSpaces()
            return scanner.index == buffer.count ? members.takeRest(base) : nil
        }
        return object.map(EventFields.Payload.json) ?? .text(bytes)
    }
}
