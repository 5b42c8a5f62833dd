import RalphTestSupport
import Yams

/// The hats of a configuration and the events that lead from one to the next.
struct PresetGraph {
    /// By id, as ralph looks through them (contract 2.6).
    let hats: [PresetHat]
    /// The topics that begin a run: the starting event; for hats without a loop, all that end in `.start`.
    let entries: [String]
    /// Claims completion.
    let completion: String
    /// Cancels, if there is one.
    let cancellation: String?
    /// Without these, completion is refused.
    let required: [String]
    /// The topics that the configuration explains.
    let described: [String]
    /// Whether hats may say only what they publish.
    let enforcesScope: Bool

    /// A preset.
    init(_ root: Node) {
        let loop = root["event_loop"]
        hats = Self.hats(of: root)
        entries = loop?["starting_event"]?.string.map { [$0] } ?? []
        completion = loop?["completion_promise"]?.string ?? "LOOP_COMPLETE"
        cancellation = loop?["cancellation_promise"]?.string
        required = PresetHat.texts(loop?["required_events"])
        described = root["events"]?.mapping?.keys.compactMap(\.string) ?? []
        enforcesScope = loop?["enforce_hat_scope"]?.bool ?? false
    }

    /// Hats from several files, to be taken together; Ralph begins with any of their `.start` topics.
    init(family roots: [Node]) {
        hats = roots.flatMap(Self.hats).sorted { $0.id < $1.id }
        entries = hats.flatMap(\.triggers).filter { $0.hasSuffix(".start") }
        completion = "LOOP_COMPLETE"
        cancellation = nil
        required = []
        described = []
        enforcesScope = false
    }

    private static func hats(of root: Node) -> [PresetHat] {
        (root["hats"]?.mapping ?? [:]).compactMap { key, value in
            key.string.map { PresetHat(id: $0, value) }
        }.sorted { $0.id < $1.id }
    }

    /// The hats that `topic` calls for.
    func takers(of topic: String) -> [PresetHat] {
        hats.filter { hat in hat.triggers.contains { isTopic(topic, coveredBy: $0) } }
    }

    /// What `topic` may become: itself, or what ralph says if its evidence is missing.
    func outcomes(of topic: String) -> [String] {
        [topic] + [PayloadEvidence.refusals[topic]].compactMap { $0 }
    }

    /// The topics that only ralph puts on the bus here (contract 2.1).
    var made: Set<String> {
        var topics = Set(hats.flatMap(\.publishes).compactMap { PayloadEvidence.refusals[$0] })
        topics.formUnion(hats.filter(\.isLimited).map { "\($0.id).exhausted" })
        topics.formUnion(hats.filter { $0.isRestricted || enforcesScope }.map { "\($0.id).scope_violation" })
        return topics
    }

    /// Whether a run can end with `topic`.
    func ends(_ topic: String) -> Bool { topic == completion || topic == cancellation }

    /// The ids of all hats that come after those of `topics`.
    func reached(from topics: [String]) -> Set<String> {
        var found: Set<String> = []
        var open = topics.flatMap(takers)
        while let hat = open.popLast() {
            guard found.insert(hat.id).inserted else { continue }
            open += hat.publishes.flatMap(outcomes).flatMap(takers)
            if hat.isLimited { open += takers(of: "\(hat.id).exhausted") }
        }
        return found
    }
}
