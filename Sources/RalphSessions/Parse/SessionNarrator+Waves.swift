import RalphWire

/// Waves (contract 2.2): rows of an iteration that ask for several agents at once. These work behind its summary, and
/// what they say comes as rows of one write before the next iteration.
extension SessionNarrator {
    /// Where a run is with the wave that its newest iteration asked for.
    enum Wave: String, Sendable, Codable {
        /// It was asked for, and nothing came of it yet.
        case asked
        /// Results of it came.
        case told
    }

    /// Whether a row asks for a wave: it is of one, and calls for a hat that may work several times at once.
    func asksForWave(_ line: EngineLine, _ base: UnsafePointer<UInt8>) -> Bool {
        line.fields.waveID.isString && asksForWave(line.topic, base)
    }

    private func asksForWave(_ topic: JSONSlice, _ base: UnsafePointer<UInt8>) -> Bool {
        guard let workspace, let topic = topic.string(base, limit: 1024) else { return false }
        return (workspace.hat(for: topic)?.concurrency ?? 1) > 1
    }

    /// Such a row is no event: no hat hears of it, and no rule judges it. Behind a summary none runs any more.
    mutating func noteWave() {
        guard state.memory.heldStart == 0, state.memory.wave != .asked else { return }
        state.memory.wave = .asked
        state.revision += 1
    }

    /// Whether the row that ``encoder`` has is a result of the wave behind the summary, and so tells nothing of the next
    /// iteration's start.
    func isWaveResult(_ base: UnsafePointer<UInt8>) -> Bool {
        state.memory.wave != nil && encoder.members.value("wave_id", base).isString
            && !asksForWave(encoder.members.value("topic", base), base)
    }

    /// Whether a row behind the summary is read before the next iteration: with the results of a wave, or as one.
    func isReadWithWave(_ line: EngineLine) -> Bool {
        switch state.memory.wave {
        case .asked: true
        case .told: line.fields.waveID.isString
        case nil: false
        }
    }

    /// A row came behind the summary of an iteration that asked for a wave. The next one waits for the results, and as
    /// long as it waits behind any summary from then on.
    mutating func noteWaveResult(_ line: EngineLine) {
        guard state.memory.heldStart > 0, isReadWithWave(line) else { return }
        state.memory.skipsCooldown = state.memory.hasHumanEvent
        if line.fields.waveID.isString {
            state.memory.wave = .told
            state.memory.heldStartAt = max(state.memory.heldStartAt, line.fields.timestamp)
        }
        state.revision += 1
    }
}
