package import RalphWire

/// Lines of a session in, items of an ``EventBatch`` and derived `server` events out.
///
/// A value without clock, files or waiting: the same state and the same lines give the same items, but for
/// the milliseconds that ``NameClock`` adds.
package struct SessionNarrator: Sendable {
    /// What the lines told so far.
    package internal(set) var state: SessionState
    /// What the session's runs go by, for hats and limits; may change at any time.
    package var workspace: WorkspaceConfig?
    /// Whether they may wait for answers: a loop in a worktree never does (contract 6.5).
    var mayWait = true
    /// Whether the output of runs is read, which tells the ends of iterations.
    var hasOutput = false
    /// The workspace of the session; `nil`: not known.
    var home: String?
    /// The events file that runs write to now, as contexts name it; `nil`: not known.
    var currentFile: String?

    var encoder = EventEncoder()
    /// The text of the read in progress.
    var text: AgentText?
    /// What was counted and not taken yet.
    var figures = FigureDays()
    /// Lines that were counted and not taken yet.
    private var skipped = SkippedLines()
    /// The newest time of an event but for the one that gave ``SessionState/lastEventAt``; `nil`: not known.
    var previousEventAt: Int64?
    /// When the file was written last whose line is being read, milliseconds since 1970; `nil`: none is being read.
    var readFileTime: Int64?
    /// Until when something is known to have kept the held iteration from starting; 0: nothing has.
    var heldStartKeptUntil: Int64 = 0

    package init(state: SessionState, workspace: WorkspaceConfig?) {
        self.state = state
        self.workspace = workspace
    }

    /// Reads one line of an events file, without its LF.
    ///
    /// - Parameters:
    ///   - file: name relative to the session directory, for the context.
    ///   - offset: where the line begins in its file.
    ///   - fileTime: milliseconds since 1970 for lines that do not tell their time.
    package mutating func readEngineLine(
        _ line: UnsafeRawBufferPointer, file: String, generation: Int, offset: Int64, fileTime: Int64,
        into batch: inout EventBatch
    ) {
        let place = LinePlace(file: file, generation: generation, offset: offset, fileTime: fileTime)
        readFileTime = fileTime
        defer { readFileTime = nil }
        var scan = LineScan(line)
        while scan.next(&encoder.members) {
            var place = place.at(scan.objectStart)
            place.isWholeLine = scan.isAlone
            readEngineObject(scan.base, place, isRepaired: scan.isRepaired, into: &batch)
        }
        if scan.sawGarbage { noteMalformed(place, into: &batch) }
    }

    /// Reads one line of a run's output, without its LF. Its text becomes an event at the next other event or
    /// at ``finishAgentRead(into:)``; the end of an iteration is held, see ``releaseEnd(into:)``.
    ///
    /// - Parameter file: begins with `agent:`, for the context.
    package mutating func readAgentLine(
        _ line: UnsafeRawBufferPointer, file: String, generation: Int, offset: Int64, fileTime: Int64,
        into batch: inout EventBatch
    ) {
        let place = LinePlace(file: file, generation: generation, offset: offset, fileTime: fileTime)
        readFileTime = fileTime
        defer { readFileTime = nil }
        var scan = LineScan(line)
        while scan.next(&encoder.members) {
            readAgentObject(
                scan.base, scan.object, place.at(scan.objectStart), isRepaired: scan.isRepaired, into: &batch)
        }
        guard scan.sawGarbage else { return }
        state.droppedAgentLines += 1
        readBanner(line, place, into: &batch)
    }

    /// Ends a read of a run's output: what text has come becomes an event. Between two calls lie as many
    /// lines as one read gives, so that the caller's pace is the pace of these events.
    package mutating func finishAgentRead(into batch: inout EventBatch) {
        flushText(into: &batch)
    }

    /// A line that was too long to be read.
    ///
    /// - Parameters:
    ///   - bytes: its length.
    ///   - now: milliseconds since 1970.
    package mutating func skipOverlongLine(
        bytes: Int64, file: String, offset: Int64, now: Int64, into batch: inout EventBatch
    ) {
        flushText(into: &batch)
        state.overlongLines += 1
        skipped.overlong += 1
        state.revision += 1
        var payload = JSONObjectText()
        payload.add("file", file)
        payload.add("offset", Int(offset))
        payload.add("bytes", Int(bytes))
        emit("events.skipped", at: now, payload: payload, into: &batch)
    }

    /// Lines that were skipped since this was asked last.
    package mutating func takeSkipped() -> SkippedLines {
        defer { skipped = SkippedLines() }
        return skipped
    }

    /// Something happened to a file of the session: one `events.truncated`, `events.replaced` …
    ///
    /// - Parameter now: milliseconds since 1970.
    package mutating func noteFileChange(
        _ change: TailChange, file: String, now: Int64, into batch: inout EventBatch
    ) {
        flushText(into: &batch)
        if state.memory.heldEnd?.file == file { releaseEnd(into: &batch) }
        // The server itself removes the output of older runs.
        if TailSource.isAgentOutput(file), [.deleted, .returned].contains(change) { return }
        state.revision += 1
        var payload = JSONObjectText()
        payload.add("file", file)
        let name: StaticString
        switch change {
        case .truncated: name = "events.truncated"
        case .replaced: name = "events.replaced"
        case .rewritten: name = "events.rewritten"
        case .deleted: name = "events.deleted"
        case .returned: name = "events.returned"
        }
        emit(name, at: now, payload: payload, into: &batch)
    }

    /// Counts a line that is not, or not only, JSON objects; the first one of a file becomes an event.
    private mutating func noteMalformed(_ place: LinePlace, into batch: inout EventBatch) {
        state.malformedLines += 1
        skipped.malformed += 1
        state.revision += 1
        let key = "\(place.generation) \(place.file)"
        guard !state.memory.reportedMalformed.contains(key) else { return }
        if state.memory.reportedMalformed.count == 16 { state.memory.reportedMalformed.removeFirst() }
        state.memory.reportedMalformed.append(key)
        var payload = JSONObjectText()
        payload.add("file", place.file)
        payload.add("offset", Int(place.offset))
        emit("events.malformed", at: place.fileTime, payload: payload, into: &batch)
    }
}
