import RalphWire

/// The end of an iteration is held until it is certain that no other line tells it better.
///
/// The held line has an event as soon as a line of the loop's own comes behind it, or none for ``endDelay``.
/// Events of the lines between have places behind it, so they are of a stretch of their own, and the held one
/// goes back to that of the events before it: see ``AgentPlace/stretch``.
extension SessionNarrator {
    /// How long an agent may take to exit once its stream has told its end, milliseconds.
    static let endDelay: Int64 = 1000

    /// What is held; `nil`: nothing.
    var heldEnd: HeldEnd? { state.memory.heldEnd }

    /// Holds an end that is the first of its iteration; `false`: it is to be told now.
    mutating func holdEnd(
        _ object: UnsafeBufferPointer<UInt8>, _ members: [JSONMember], _ base: UnsafePointer<UInt8>,
        _ place: LinePlace, isRepaired: Bool, into batch: inout EventBatch
    ) -> Bool {
        let number = endedIteration(members, base)
        // Of one that was told without its line the figures are still to come.
        let isUncounted = !state.memory.agentIsPast && state.memory.announcedUsage < number
        guard number != state.memory.agentEnded || isUncounted, object.count <= HeldEnd.maximumBytes else {
            return false
        }
        flushText(into: &batch)
        state.memory.heldEnd = HeldEnd(
            iteration: number, file: place.file, generation: place.generation, offset: place.offset,
            fileTime: place.fileTime, text: String(decoding: object, as: UTF8.self), isRepaired: isRepaired,
            stretch: state.memory.agentStretch)
        state.memory.agentStretch = place.offset
        state.revision += 1
        return true
    }

    /// The iteration that an `iteration_end` line ends.
    func endedIteration(_ members: [JSONMember], _ base: UnsafePointer<UInt8>) -> Int {
        members.value("iteration", base).iteration(base) ?? state.memory.agentIteration
    }

    /// Decides about the held end before the next line of an output is read.
    ///
    /// - Returns: whether that line is the one that was waited for.
    mutating func settleHeldEnd(
        before line: AgentLine, _ base: UnsafePointer<UInt8>, _ place: LinePlace, into batch: inout EventBatch
    ) -> Bool {
        guard let held = state.memory.heldEnd else { return false }
        let members = encoder.members
        defer { encoder.members = members }
        switch line.kind {
        case .iterationEnd where held.isOf(place) && held.iteration == endedIteration(members, base):
            flushText(into: &batch)
            state.memory.heldEnd = nil
            state.droppedAgentLines += 1
            state.revision += 1
            return true
        case _ where held.isOf(place) && !Self.isOfLoop(line, members, base): passHeldEnd(line)
        default: releaseEnd(into: &batch)
        }
        return false
    }

    /// Whether a line comes from the loop itself, which would have told the iteration's end before. The agent's
    /// stream and who answers commands write beside it, in no certain order.
    private static func isOfLoop(
        _ line: AgentLine, _ members: [JSONMember], _ base: UnsafePointer<UInt8>
    ) -> Bool {
        switch line.kind {
        case .textDelta, .toolStart, .toolEnd, .error, .guidanceAck, .other, .message, .turnEnd: false
        case .dropped: members.value("type", base).spells("orchestration_event", base)
        case .loopStarted, .iterationStart, .iterationEnd, .orchestration, .loopTerminated, .wave: true
        }
    }

    /// A line goes past the held end.
    private mutating func passHeldEnd(_ line: AgentLine) {
        guard line.kind != .dropped, state.memory.heldEnd?.isPassed == false else { return }
        state.memory.heldEnd?.isPassed = true
        state.revision += 1
    }

    /// Tells the held end before that of the run, unless a summary has told its figures.
    mutating func releaseUncountedEnd(into batch: inout EventBatch) {
        guard let held = state.memory.heldEnd, held.iteration > state.completedIteration else { return }
        releaseEnd(into: &batch)
    }

    /// Tells the held end.
    mutating func releaseEnd(into batch: inout EventBatch) {
        guard let held = state.memory.heldEnd else { return }
        flushText(into: &batch)
        state.memory.heldEnd = nil
        state.revision += 1
        let stretch = state.memory.agentStretch
        state.memory.agentStretch = held.stretch
        let (place, isRepaired) = (held.place, held.isRepaired)
        var text = held.text
        text.withUTF8 { bytes in
            var scan = LineScan(UnsafeRawBufferPointer(bytes))
            guard scan.next(&encoder.members) else { return }
            let line = AgentLine(encoder.members, scan.base)
            tell(line, scan.base, place, isRepaired: isRepaired, into: &batch)
        }
        if held.isPassed { state.memory.agentStretch = stretch }
    }
}
