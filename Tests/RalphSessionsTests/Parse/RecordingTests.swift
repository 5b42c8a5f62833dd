import Foundation
import RalphWire
import Testing

@testable import RalphSessions

@Suite(.timeLimit(.minutes(1))) struct RecordingTests {
    @Test(arguments: Samples.eventsFiles) func `every object of a recording is one event`(path: String) throws
    {
        let text = try Samples.text(path)
        var reading = Reading()
        reading.engine(text)

        let objects = text.split(separator: "\n").filter { (try? decode(String($0))) != nil }  // counts only
        #expect(reading.topics(.engine).count == objects.count)
        #expect(reading.narrator.state.engineEvents == objects.count)
        try checkWireForm(reading)
    }

    @Test func `damaged lines of a recording cost only themselves`() throws {
        var reading = Reading()
        reading.engine(
            """
            {"payload":"s","topic":"slice.planned","ts":"2026-11-21T03:12:05.302649474+00:00"}
            this is not json
            {"topic":"no.ts","payload":"x"}
            {"topic":"glued.one","payload":"x","ts":"2026-01-01T00:00:00Z"}{"topic":"glued.two","payload":"x"}

            {"topic":"half.line","payload":"first ha{"payload":"ok","topic":"slice.accepted","ts":"2026-11-21T03:12:08Z"}
            lf","ts":"2026-01-01T00:00:00Z"}
            """)

        #expect(
            reading.topics(.engine) == [
                "slice.planned", "no.ts", "glued.one", "glued.two", "slice.accepted",
            ])
        #expect(reading.narrator.state.malformedLines == 3)
        try checkWireForm(reading)
    }

    @Test(arguments: Samples.outputFiles) func `a run's output tells its story`(path: String) throws {
        let text = try Samples.text(path)
        var reading = Reading()
        reading.agent(text)

        let starts = text.split(separator: "\n").filter { $0.contains(#""type":"iteration_start""#) }.count
        let topics = reading.topics(.agent)
        #expect(topics.first == "loop.started")
        #expect(topics.last == "loop.terminated")
        #expect(topics.filter { $0 == "iteration.started" }.count == starts)
        #expect(topics.filter { $0 == "iteration.completed" }.count == starts)
        #expect(reading.narrator.state.completedIteration == starts)
        #expect(!reading.texts.joined().contains(#"\u001b"#))
        try checkWireForm(reading)
    }

    /// The types of http-contract 4.3, and one line.
    private func checkWireForm(_ reading: Reading) throws {
        for (text, item) in zip(reading.texts, reading.batch.items) {
            let event = try decode(text)
            #expect(!text.utf8.contains { $0 < 0x20 })
            for key in ["type", "ts", "topic", "source"] { #expect(event[key] is String, "\(key): \(text)") }
            for key in ["payload", "hat", "triggered", "tool", "status", "output"] where event[key] != nil {
                #expect(event[key] is String, "\(key): \(text)")
            }
            for key in ["iteration", "duration"] where event[key] != nil { #expect(event[key] is Int) }
            if let input = event["input"] { #expect(input is [String: Any]) }
            #expect(event["topic"] as? String == reading.batch.text(item.topic))
            #expect(event["type"] as? String == reading.batch.text(item.type))
            #expect(event["ts"] as? String == Timestamp.text(item.timestamp))
            #expect(event["source"] as? String == item.origin.rawValue)
            #expect((item.offset < 0) == (item.origin == .server) && (item.context < 0) == (item.offset < 0))
        }
    }
}
