import RalphTestSupport

@testable import RalphServer

extension FileThreads {
    /// Has as many jobs wait at `place` as are done there at once, as where a file system does not answer; until the gate is
    /// opened.
    func hold(_ place: String, of kind: String = "") async throws -> ThreadGate {
        let gate = ThreadGate(within: .seconds(60))
        for _ in 0..<Self.turns {
            // Ends with the gate; that nobody waited for it to the end is no matter.
            Task { try? await run(at: place, of: kind, within: .seconds(2)) { gate.pass() } }
        }
        try await eventually(within: .seconds(10), "held threads") { gate.kept == Self.turns }
        return gate
    }
}
