import RalphWire

/// Signs of progress, for those who look after runs.
extension SessionNarrator {
    /// From now on lines are news; nothing if they were already.
    mutating func beginSigns() {
        if state.signs == nil { state.signs = SessionSigns() }
    }

    /// Looks whether a row repeats the one before.
    mutating func noteRepetition(_ line: EngineLine, _ base: UnsafePointer<UInt8>) {
        guard state.signs != nil, line.origin != .user, line.topic.isString else { return }
        // Ralph counts anew behind a wave, whose results are its workers'.
        if line.fields.waveID.isString {
            state.signs?.endTopics()
            return
        }
        // Topics are short, and one that is taken for another costs a wrong signal at worst.
        let hash = Int(truncatingIfNeeded: line.topic.buffer(base).fnv1a)
        state.signs?.noteTopic(hash: hash, at: line.fields.timestamp) {
            line.topic.string(base, limit: 256) ?? ""
        }
    }

    /// Tells a signal, and remembers which episode it is of.
    mutating func signal(
        _ sentinel: Sentinel, episode: Int, payload: String, at time: Int64, since: Int64?,
        into batch: inout EventBatch
    ) {
        beginSigns()
        state.signs?.noteTold(sentinel, episode: episode, at: time, since: since)
        state.revision += 1
        emit("sentinel." + sentinel.rawValue, payload: payload, at: time, into: &batch)
    }

    /// Ends an episode, once, and aloud if there is something to say.
    mutating func endSignal(
        _ sentinel: Sentinel, payload: String?, at time: Int64, into batch: inout EventBatch
    ) {
        guard state.signs?.noteOver(sentinel) == true else { return }
        state.revision += 1
        if let payload { emit("sentinel.recovered", payload: payload, at: time, into: &batch) }
    }
}
