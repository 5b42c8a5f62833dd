import RalphTestSupport

/// A way through a preset's hats, one event for each iteration.
struct PresetWalk {
    /// One hand-over.
    struct Step: Hashable {
        /// Who publishes.
        let hat: String
        let topic: String
        /// Whether its evidence is missing, so that ralph refuses it.
        var isRefused = false
        /// Who takes it; `nil` ends the run.
        let next: String?
    }

    private let graph: PresetGraph
    private(set) var steps: [Step] = []

    /// Every hand-over once at least, the refused ones too, and then on to `end`.
    ///
    /// `nil`: the graph has no such way.
    init?(covering graph: PresetGraph, to end: String) {
        self.graph = graph
        guard let start = graph.entries.first.flatMap({ graph.takers(of: $0).first }) else { return nil }
        let edges = Self.edges(of: graph)
        var open = Set(edges.filter { $0.next != nil })
        var place = start.id
        while !open.isEmpty {
            // Not over a bridge that leads away from what is still open.
            let part = Self.way(edges, from: place) { step in
                guard open.contains(step), let next = step.next else { return false }
                return open.subtracting([step]).allSatisfy {
                    Self.reached(edges, from: next).contains($0.hat)
                }
            }
            guard let part else { return nil }
            steps += part
            open.subtract(part)
            place = part.last?.next ?? place
        }
        guard let last = Self.way(edges, from: place, to: { $0.topic == end }) else { return nil }
        steps += last
    }

    /// The shortest way to `end`.
    init?(through graph: PresetGraph, to end: String) {
        self.graph = graph
        guard let start = graph.entries.first.flatMap({ graph.takers(of: $0).first }),
            let way = Self.way(Self.edges(of: graph), from: start.id, to: { $0.topic == end })
        else { return nil }
        steps = way
    }

    /// The script of an agent that goes this way; no two payloads are equal.
    var script: String {
        steps.enumerated().map { index, step in
            let instructions = graph.hats.first { $0.id == step.hat }?.instructions ?? ""
            let evidence = step.isRefused ? nil : PayloadEvidence.example(of: step.topic, in: instructions)
            let payload = evidence.map { "\($0), step \(index + 1)" } ?? "step \(index + 1)"
            return "iteration \(index + 1):\nemit \(step.topic) \(payload)"
        }.joined(separator: "\n")
    }

    private static func edges(of graph: PresetGraph) -> [Step] {
        graph.hats.flatMap { hat in
            hat.publishes.flatMap { topic -> [Step] in
                if graph.ends(topic) { return [Step(hat: hat.id, topic: topic, next: nil)] }
                let taken = graph.takers(of: topic).map { Step(hat: hat.id, topic: topic, next: $0.id) }
                // The stand-in judges these two.
                guard topic != "verify.passed", let refusal = PayloadEvidence.refusals[topic] else {
                    return taken
                }
                return taken
                    + graph.takers(of: refusal).map {
                        Step(hat: hat.id, topic: topic, isRefused: true, next: $0.id)
                    }
            }
        }
    }

    /// The hats that follow a hat, and itself.
    private static func reached(_ edges: [Step], from place: String) -> Set<String> {
        var found: Set<String> = [place]
        var open = [place]
        while let place = open.popLast() {
            open += edges.filter { $0.hat == place }.compactMap(\.next).filter { found.insert($0).inserted }
        }
        return found
    }

    /// The shortest way from a hat over any steps to one that `isGoal`, which it includes.
    private static func way(_ edges: [Step], from place: String, to isGoal: (Step) -> Bool) -> [Step]? {
        var open: [(place: String, way: [Step])] = [(place, [])]
        var seen: Set<String> = [place]
        while !open.isEmpty {
            let (place, way) = open.removeFirst()
            for step in edges where step.hat == place {
                if isGoal(step) { return way + [step] }
                guard let next = step.next, seen.insert(next).inserted else { continue }
                open.append((next, way + [step]))
            }
        }
        return nil
    }
}
