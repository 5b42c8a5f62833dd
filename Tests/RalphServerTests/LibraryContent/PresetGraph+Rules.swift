import RalphTestSupport

/// What must hold for events, so that a run gets from its start to its end.
extension PresetGraph {
    /// What a hat cannot be called by: ralph's own start, its bookkeeping, and what goes to a person's queue
    /// (contract 2.9). Ralph refuses the first two.
    private static let noTriggers: Set<String> = [
        "task.start", "task.resume", "iteration.summary", "loop.terminate", "event.orphaned",
    ]
    /// What a hat must not say: it would confuse or end the run (contract 2.5).
    private static let notForHats: Set<String> = noTriggers.union([
        "human.guidance", "human.response", "human.timeout", "user.prompt", "user.response",
        "wave.worker.failed",
    ])
    /// What a hat may say to ralph alone.
    private static let forRalph: Set<String> = ["human.interact", "human.guidance.ack"]

    /// Everything that is wrong.
    func check() -> [String] {
        if hats.isEmpty { return ["hats: there is none"] }
        return checkTriggers() + checkTopics() + checkAmbiguity() + checkWays() + checkLoop() + checkWords()
    }

    private func checkTriggers() -> [String] {
        let said = Set(hats.flatMap(\.publishes)).union(made).union(entries)
        return hats.flatMap { hat in
            hat.triggers.flatMap { trigger -> [String] in
                if Self.noTriggers.contains(trigger) || trigger.hasPrefix("human.") {
                    return ["\(hat.id): cannot be triggered by \(trigger)"]
                }
                let isSaid = said.contains { isTopic($0, coveredBy: trigger) }
                return isSaid ? [] : ["\(hat.id): nobody publishes \(trigger)"]
            }
        }
    }

    private func checkTopics() -> [String] {
        hats.flatMap { hat in
            let own = hat.publishes.flatMap { topic -> [String] in
                if Self.notForHats.contains(topic) { return ["\(hat.id): must not publish \(topic)"] }
                if topic.contains("*") { return ["\(hat.id): publishes a pattern, \(topic)"] }
                if ends(topic) || Self.forRalph.contains(topic) { return [] }
                return outcomes(of: topic).filter { takers(of: $0).isEmpty }
                    .map { "\(hat.id): nobody takes \($0)" }
            }
            guard let fallback = hat.fallback, !hat.publishes.contains(fallback) else { return own }
            return own + ["\(hat.id): default_publishes \(fallback) is not among what it publishes"]
        }
    }

    /// Ralph refuses a trigger that two hats claim; of two patterns that meet, the first hat would win
    /// silently.
    private func checkAmbiguity() -> [String] {
        let claimed = Set(hats.flatMap(\.triggers) + hats.flatMap(\.publishes) + entries).sorted()
        return claimed.compactMap { topic in
            let takers = takers(of: topic).map(\.id)
            return takers.count > 1 ? "\(topic): is claimed by \(takers.joined(separator: " and "))" : nil
        }
    }

    private func checkWays() -> [String] {
        let reached = reached(from: entries)
        let ending = Set(hats.filter { $0.publishes.contains(where: ends) }.map(\.id))
        return hats.flatMap { hat -> [String] in
            guard reached.contains(hat.id) else { return ["\(hat.id): is never reached"] }
            let way = self.reached(from: hat.publishes.flatMap(outcomes)).union([hat.id])
            return way.isDisjoint(with: ending) ? ["\(hat.id): no way leads to an end"] : []
        }
    }

    private func checkLoop() -> [String] {
        let said = Set(hats.flatMap(\.publishes))
        var findings = entries.isEmpty ? ["event_loop: lacks starting_event"] : []
        findings += entries.filter { takers(of: $0).isEmpty }.map { "event_loop: nobody takes \($0)" }
        if !said.contains(completion) { findings.append("event_loop: nobody publishes \(completion)") }
        if let cancellation, !said.contains(cancellation) {
            findings.append("event_loop: nobody publishes \(cancellation)")
        }
        findings += required.filter { !said.contains($0) || ends($0) }
            .map { "event_loop: required \($0) is never published" }
        let known = said.union(made).union(entries)
        return findings + described.filter { !known.contains($0) }.map { "events: \($0) does not occur" }
    }

    /// What a hat is told must name what it may say, with an example of the evidence, and nothing that is not.
    private func checkWords() -> [String] {
        let names = Dictionary(grouping: hats, by: \.name).filter { $1.count > 1 }.keys.sorted()
        let known = Set(hats.flatMap { $0.publishes + $0.triggers }).union(made).union(Self.forRalph)
        let families = Set(known.compactMap { $0.split(separator: ".").first })
        return names.map { "hats: two are called \($0)" } + hats.flatMap(checkInstructions)
            + hats.flatMap { hat -> [String] in
                PayloadEvidence.quoted(in: hat.instructions).filter { word in
                    let parts = word.split(separator: ".")
                    let isTopic = parts.count == 2 && word.allSatisfy { $0.isLetter || $0 == "." }
                    return isTopic && families.contains(parts[0]) && !known.contains(word)
                }.map { "\(hat.id): speaks of \($0), which does not occur" }
            }
    }

    private func checkInstructions(of hat: PresetHat) -> [String] {
        let quoted = Set(PayloadEvidence.quoted(in: hat.instructions))
        return hat.publishes.flatMap { topic -> [String] in
            if !quoted.contains(topic) { return ["\(hat.id): its instructions do not name \(topic)"] }
            let needsEvidence = PayloadEvidence.refusals[topic] != nil
            let hasExample = PayloadEvidence.example(of: topic, in: hat.instructions) != nil
            return needsEvidence && !hasExample ? ["\(hat.id): shows no evidence for \(topic)"] : []
        }
    }
}
