import RalphWire

/// Waves (contract 2.2): rows of an iteration that ask for several agents at once. These work behind its summary, and
/// what they say comes as rows of one write before the next iteration.
extension SessionNarrator {
    /// What the newest iteration asked several agents for.
    struct Wave: Sendable, Codable, Equatable {
        /// How long it may take before Ralph ends it, milliseconds; 0: Ralph begins none, as nothing says of how many.
        var longest: Int64
        /// Results of it came.
        var isTold = false
        /// The iteration has promised the run's end as well, which stands whatever the results say.
        var isPromised = false
    }

    /// Until when Ralph is to have ended a wave whose agents it has told to, milliseconds.
    private static let waveEnd: Int64 = 30_000
    /// A day: what says how many work is the agent's word.
    private static let longestWave: Int64 = 86_400_000

    /// Whether a row asks for a wave: it is of one, and calls for a hat that may work several times at once.
    func asksForWave(_ line: EngineLine, _ base: UnsafePointer<UInt8>) -> Bool {
        guard line.fields.waveID.isString else { return false }
        return hat(of: line, base).map { $0.concurrency > 1 } ?? false
    }

    private func hat(of line: EngineLine, _ base: UnsafePointer<UInt8>) -> WorkspaceConfig.Hat? {
        guard let workspace, let topic = line.topic.string(base, limit: 1024) else { return nil }
        return workspace.hat(for: topic)
    }

    /// Such a row is no event: no hat hears of it, and no rule judges it. Behind a summary none runs any more.
    mutating func noteWave(_ line: EngineLine, _ base: UnsafePointer<UInt8>) {
        guard state.memory.heldStart == 0 else { return noteWaveResult(line) }
        let longest = longestWave(of: line, base)
        guard state.memory.wave.map({ $0.longest < longest }) ?? true else { return }
        state.memory.wave = Wave(longest: longest)
        state.revision += 1
    }

    private func longestWave(of line: EngineLine, _ base: UnsafePointer<UInt8>) -> Int64 {
        guard line.fields.waveTotal > 0, let hat = hat(of: line, base) else { return 0 }
        let turns = (min(line.fields.waveTotal, 10_000) - 1) / hat.concurrency + 1
        return min(Int64(turns) * Int64(hat.waveSeconds) * 1000, Self.longestWave) + Self.waveEnd
    }

    /// How long the next iteration waits for the results of a wave, milliseconds.
    var waveDelay: Int64 {
        guard let wave = state.memory.wave, !wave.isTold else { return 0 }
        return wave.longest
    }

    /// Whether the row that ``encoder`` has is a result of the wave behind the summary, or a person's word while that works,
    /// and so tells nothing of the next iteration's start. One that asks for a wave says of how many.
    ///
    /// Anything else may be of the next iteration, where the wave's agents had nothing to say.
    func isBesideWave(_ base: UnsafePointer<UInt8>) -> Bool {
        guard let wave = state.memory.wave, encoder.members.value("wave_total", base).kind == .missing else {
            return false
        }
        if encoder.members.value("wave_id", base).isString { return true }
        return !wave.isTold && encoder.members.value("topic", base).spells("human.response", base)
    }

    /// Whether the row that ``encoder`` has is of a time at which no wave works any more.
    func isBehindWave(_ base: UnsafePointer<UInt8>) -> Bool {
        guard waveDelay > 0, let time = EngineLine.time(encoder.members.value("ts", base), base) else {
            return false
        }
        return time - state.memory.heldStartAt > waveDelay
    }

    /// Whether a row behind the summary is read before the next iteration: with the results of a wave, or as one.
    func isReadWithWave(_ line: EngineLine) -> Bool {
        guard let wave = state.memory.wave else { return false }
        return line.fields.waveID.isString
            || !wave.isTold && line.fields.timestamp - state.memory.heldStartAt <= wave.longest
    }

    /// A row came behind the summary of an iteration that asked for a wave. The next one waits for the results, and as
    /// long as it waits behind any summary from then on.
    mutating func noteWaveResult(_ line: EngineLine) {
        guard state.memory.heldStart > 0, isReadWithWave(line) else { return }
        state.memory.skipsCooldown = state.memory.hasHumanEvent
        if line.fields.waveID.isString {
            state.memory.wave?.isTold = true
            let time = Self.believed(line.fields.timestamp, readFileTime ?? line.fields.timestamp)
            state.memory.heldStartAt = max(state.memory.heldStartAt, time)
        }
        state.revision += 1
    }
}
