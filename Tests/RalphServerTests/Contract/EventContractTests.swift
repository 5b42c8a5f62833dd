import RalphServer
import RalphTestSupport
import Testing

/// The frames of event streams as the app's parser takes them (http-contract 4.2, 4.3).
@Suite(.timeLimit(.minutes(1)))
struct EventContractTests {
    @Test func `every frame of every recorded session is one line of JSON that decodes`() async throws {
        try await withRecordings { server, sessions in
            for session in sessions {
                let frames = try await server.events(
                    "/api/sessions/\(session.id)/events?follow=false&tail=all")
                // Whether another iteration follows the last summary is known a moment later.
                #expect(frames.count >= session.last_seq)
                #expect(frames.map(\.id) == (1...frames.count).map(String.init))
                for frame in frames {
                    let line = try #require(frame.data.first)
                    #expect(frame.data.count == 1)
                    #expect(frame.event == "workflow")
                    let event = try ClientAnswer.decode(ClientModels.Event.self, line)
                    #expect(event.session_id == session.id)
                    #expect(event.seq.map(String.init) == frame.id)
                    #expect(!event.topic.isEmpty)
                    try Self.checkFigures(event)
                    #expect(Self.breaksLines(line) == false)
                }
            }
        }
    }

    @Test func `two events of one name never have one time`() async throws {
        try await withRecordings { server, sessions in
            for session in sessions {
                let page = try await server.get(
                    "/api/sessions/\(session.id)/history?limit=1000", as: ClientModels.HistoryPage.self)
                let identities = page.events.map { "\($0.tool ?? $0.topic)-\($0.ts.text)" }
                #expect(Set(identities).count == identities.count, "\(session.working_dir)")
            }
        }
    }

    @Test func `lines of JSON are the same events`() async throws {
        try await withRecordings { server, sessions in
            for session in sessions {
                let probe = try await server.stream(
                    "/api/sessions/\(session.id)/events.ndjson?follow=false&tail=all")
                let lines = try await probe.linesToEnd()
                #expect(lines.count >= session.last_seq)
                let events = try lines.map { try ClientAnswer.decode(ClientModels.Event.self, $0) }
                #expect(events.map(\.seq) == Array(1...lines.count))
            }
        }
    }

    @Test func `the figures of a run are ones that the app adds up`() async throws {
        let steps =
            "always:\n  say working\n  tool Read {\"file_path\":\"a.txt\"}\n  usage 100 20 0.25\n  complete\n"
        try await withControl(steps: steps) { server, _ in
            let id = try await server.start()
            var events: [ClientModels.Event] = []
            // The output is read beside the events file, and may come later than the end.
            try await eventually(within: .seconds(20), "a tool call and a cost") {
                events = try await server.get(
                    "/api/sessions/\(id)/history?limit=1000", as: ClientModels.HistoryPage.self
                ).events
                return events.contains { $0.tool != nil && $0.input != nil }
                    && events.contains { $0.topic == "result" }
            }

            for event in events { try Self.checkFigures(event) }
        }
    }

    /// What the app takes out of payloads, by their topics.
    private static func checkFigures(_ event: ClientModels.Event) throws {
        guard let payload = event.payload else { return }
        switch event.topic {
        case "assistant": _ = try ClientAnswer.decode(ClientModels.Usage.self, payload)
        case "result": _ = try ClientAnswer.decode(ClientModels.FinalCost.self, payload)
        default: break
        }
    }

    /// Whether the app's line sequence would break inside `line`.
    private static func breaksLines(_ line: String) -> Bool {
        line.unicodeScalars.contains { [0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029].contains($0.value) }
    }
}
