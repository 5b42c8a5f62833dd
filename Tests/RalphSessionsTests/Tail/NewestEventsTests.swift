import RalphTestSupport
import RalphWire
import Testing

@testable import RalphSessions

struct NewestEventsTests {
    private static let row =
        #"{"ts":"1970-01-01T00:16:40Z","iteration":1,"hat":"a","topic":"t","payload":"p"}"# + "\n"

    private func newest(_ events: [(json: String, time: Int64)], isWhole: Bool) -> NewestEvents {
        var newest = NewestEvents(isWhole: isWhole)
        for event in events { newest.add(Array(event.json.utf8)[...], time: event.time, origin: .engine) }
        return newest
    }

    @Test func `events behind a restart share no name and time with those that were told`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try scene.write("events.jsonl", Self.row)
            scene.read()
            let told = try #require(scene.last?.batch.items.filter { $0.origin == .engine })
            #expect(told.map(\.timestamp) == [1_000_000])

            let events = told.map { (#"{"topic":"t"}"#, $0.timestamp) }
            scene.saved = SavedTail(
                checkpoints: scene.saved?.checkpoints ?? [:], state: scene.saved?.state,
                newest: newest(events, isWhole: true))
            try scene.append("events.jsonl", Self.row)
            scene.restart()
            scene.read()
            let again = try #require(scene.last?.batch.items.filter { $0.origin == .engine })
            #expect(again.map(\.timestamp) == [1_000_001])
        }
    }

    @Test func `an event is named by its tool, else by its topic`() {
        var clock = newest(
            [(#"{"topic":"a","tool":"Read"}"#, 500), (#"{"tool":null,"topic":"b"}"#, 500), ("{", 500)],
            isWhole: true
        ).clock

        #expect(["Read", "a", "b"].map { clock.place(500, name: $0.utf8.fnv1a) } == [501, 500, 501])
    }

    @Test func `a burst whose beginning was not looked at goes on behind its end`() {
        let told = (Int64(540)...560).map { (#"{"topic":"a"}"#, $0) }
        let name = "a".utf8.fnv1a
        var part = newest(told, isWhole: false).clock
        var whole = newest(told, isWhole: true).clock

        #expect([500, 500, 561].map { part.place($0, name: name) } == [561, 562, 563])
        #expect([500, 500, 561].map { whole.place($0, name: name) } == [500, 501, 561])
    }

    @Test(arguments: [Int64.min, .max])
    func `no time is too early or too late`(time: Int64) {
        var clock = newest([(#"{"topic":"a"}"#, time)], isWhole: false).clock

        #expect(clock.place(500, name: "a".utf8.fnv1a) == 500)
    }
}
