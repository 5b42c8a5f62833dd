import NIOCore
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

/// Whose turn it is where one answer has two pages.
@Suite(.timeLimit(.minutes(1)))
struct HistoryTurnTests {
    private func makeServices(_ parts: ServerParts, _ turns: WorkTurns) -> SessionServices {
        let history = HistoryReader(
            feed: parts.feed, archive: EventArchive(feed: parts.feed, catalogue: parts.catalogue),
            catalogue: parts.catalogue,
            threads: HistoryReader.Threads(
                ring: parts.stateThreads, files: parts.historyThreads, kind: "history"),
            secrets: [])
        return SessionServices(
            feed: parts.feed, catalogue: parts.catalogue, history: history, newest: history.ofRing,
            turns: turns, clients: parts.clients,
            list: SessionList(feed: parts.feed, catalogue: parts.catalogue), threads: parts.threads,
            questions: parts.questions, secrets: [])
    }

    @Test func `a session with what was missed waits for one turn, not for two`() async throws {
        try await withTemporaryDirectory { directory in
            try await withServerParts(in: directory) { server, parts in
                let id = try #require(SessionID(try await server.session("a", lines: 3)))
                let turns = WorkTurns(places: 1, patience: .seconds(20), what: "tests")
                let services = makeServices(parts, turns)
                let missed: SessionServices.Missed = (window: .after(0), limit: 2)
                let next = try await turns.run {
                    let answer = Task { try await services.session(id, missed: missed) }
                    try await eventually(within: .seconds(10), "the answer's waiting") { turns.waiting == 1 }
                    // Keeps its turn, which is the next one, until the answer is there.
                    let follower = Task { try await turns.run { try await answer.value } }
                    try await eventually(within: .seconds(10), "both waiting") { turns.waiting == 2 }
                    return follower
                }
                let text = String(buffer: try await next.value)

                #expect(text.contains(#""has_more":true,"after_seq":2"#))
                #expect(text.contains(#""session":{"#))
            }
        }
    }
}
