import RalphSessions
import RalphWire

/// When a run is in trouble, and when no longer.
struct SentinelRules: Sendable {
    /// What a look comes to.
    enum Finding: Sendable, Equatable {
        case trouble(Sentinel, episode: Int, SentinelPayload)
        /// With something to say, it is said.
        case over(Sentinel, SentinelPayload?)
    }

    let settings: SentinelSettings

    /// What is new about a run that was looked at, see ``SentinelMemory/look(_:now:)``.
    ///
    /// - Parameter silentBefore: since when nothing had come when this look began.
    func findings(
        _ facts: SentinelFacts, _ memory: SentinelMemory, silentBefore: Int64, now: Int64
    ) -> [Finding] {
        guard let signs = facts.signs else { return [] }
        var findings = silence(facts, signs, memory, silentBefore: silentBefore, now: now)
        guard facts.isAlive else { return findings }
        findings += repetition(facts, signs) + gates(facts, signs) + tokens(facts, signs, now: now)
        return findings
    }

    /// When a run that stays silent is stalled; `nil`: never, or that was told.
    func stallMoment(_ facts: SentinelFacts, _ memory: SentinelMemory) -> Int64? {
        guard settings.stallSeconds > 0, facts.isAlive, !facts.isWaiting, facts.signs != nil,
            facts.signs?.episode(.stalled) == nil
        else { return nil }
        return memory.silentSince + Int64(settings.stallSeconds) * 1000
    }

    private func silence(
        _ facts: SentinelFacts, _ signs: SessionSigns, _ memory: SentinelMemory, silentBefore: Int64,
        now: Int64
    ) -> [Finding] {
        let lastEventAt = facts.lastEventAt.map(Timestamp.text)
        if let episode = signs.episode(.stalled) {
            guard episode != facts.events else { return facts.isAlive ? [] : [.over(.stalled, nil)] }
            var payload = SentinelPayload(iteration: facts.iteration, last_event_at: lastEventAt)
            payload.from = Sentinel.stalled.rawValue
            // It may have been heard while no server looked.
            let heardAt = min(now, facts.lastEventAt ?? now)
            payload.silent_secs = max(0, (heardAt - silentBefore) / 1000)
            return [.over(.stalled, payload)]
        }
        guard let moment = stallMoment(facts, memory), now >= moment else { return [] }
        let payload = SentinelPayload(
            iteration: facts.iteration, threshold_secs: settings.stallSeconds,
            silent_secs: (now - memory.silentSince) / 1000, last_event_at: lastEventAt)
        return [.trouble(.stalled, episode: facts.events, payload)]
    }

    private func repetition(_ facts: SentinelFacts, _ signs: SessionSigns) -> [Finding] {
        let streak = signs.topics
        guard settings.repeats > 0, streak.count >= settings.repeats,
            signs.episode(.repeating) != streak.number
        else { return [] }
        let payload = SentinelPayload(
            iteration: facts.iteration, threshold: settings.repeats, count: streak.count,
            topic: signs.topic, since: Timestamp.text(streak.since))
        return [.trouble(.repeating, episode: streak.number, payload)]
    }

    private func gates(_ facts: SentinelFacts, _ signs: SessionSigns) -> [Finding] {
        let streak = signs.gates
        guard settings.failedGates > 0, streak.count >= settings.failedGates,
            signs.episode(.gatesFailing) != streak.number
        else { return [] }
        let payload = SentinelPayload(
            iteration: facts.iteration, threshold: settings.failedGates, count: streak.count,
            since: Timestamp.text(streak.since))
        return [.trouble(.gatesFailing, episode: streak.number, payload)]
    }

    /// Told above the threshold, and over at half of it.
    private func tokens(_ facts: SentinelFacts, _ signs: SessionSigns, now: Int64) -> [Finding] {
        let rate = signs.tokensPerMinute(now: now)
        if signs.episode(.burning) != nil {
            return rate <= settings.tokensPerMinute / 2 ? [.over(.burning, nil)] : []
        }
        guard settings.tokensPerMinute > 0, rate > settings.tokensPerMinute else { return [] }
        let payload = SentinelPayload(
            iteration: facts.iteration, threshold_tokens_per_minute: settings.tokensPerMinute,
            tokens_per_minute: rate, window_minutes: SessionSigns.windowMinutes)
        return [.trouble(.burning, episode: Int(now / 60_000), payload)]
    }
}
