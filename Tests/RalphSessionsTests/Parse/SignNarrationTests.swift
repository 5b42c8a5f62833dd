import Foundation
import RalphWire
import Testing

@testable import RalphSessions

/// What newest events tell about progress.
@Suite struct SignNarrationTests {
    private func emitted(_ second: Int, _ topic: String, _ more: String = "") -> String {
        let time = Timestamp.text(1_795_230_000_000 + Int64(second) * 1000)
        return #"{"topic":"\#(topic)","ts":"\#(time)","payload":"x"\#(more)}"# + "\n"
    }

    private var live: Reading {
        var reading = Reading()
        reading.narrator.beginSigns()
        return reading
    }

    @Test func `history tells nothing`() {
        var reading = Reading()
        for second in 0..<20 { reading.engine(emitted(second, "build.done")) }
        #expect(reading.narrator.state.signs == nil)

        reading.narrator.beginSigns()
        reading.engine(emitted(20, "build.done"))
        #expect(reading.narrator.state.signs?.topics.count == 1)
        #expect(reading.narrator.state.signs?.gates.count == 1)
    }

    @Test func `rows of one topic in a row are counted, whatever stands between them`() throws {
        var reading = live
        reading.engine(emitted(1, "a.b") + emitted(2, "slice.built") + emitted(3, "slice.built"))
        reading.engine(
            #"{"topic":"iteration.summary","iteration":1,"hat":"loop","ts":"2026-11-21T03:00:04Z"}"# + "\n")
        reading.engine(emitted(5, "human.guidance", #","source":"user""#) + emitted(6, "slice.built"))
        let signs = try #require(reading.narrator.state.signs)
        #expect(signs.topics.count == 3 && signs.topic == "slice.built")
        #expect(signs.topics.since == 1_795_230_002_000)

        reading.engine(emitted(7, "a.b"))
        #expect(reading.narrator.state.signs?.topics.count == 1)
        #expect(reading.narrator.state.signs?.topics.number == signs.topics.number + 1)
    }

    @Test func `what a wave's workers say is no repetition, and ends one`() throws {
        var reading = live
        reading.engine(emitted(1, "next.batch") + emitted(2, "next.batch"))
        for second in 3...5 {
            reading.engine(emitted(second, "slice.built", #","wave_id":"w","wave_index":0"#))
        }
        #expect(reading.narrator.state.signs?.topics.count == 0)
        reading.engine(emitted(6, "next.batch", #","wave_id":null"#))
        let signs = try #require(reading.narrator.state.signs)
        #expect(signs.topics.count == 1 && signs.topics.since == 1_795_230_006_000)
    }

    @Test func `a gate that passes ends the row of failures`() {
        var reading = live
        for second in 1...3 { reading.engine(emitted(second, "review.done")) }
        #expect(reading.narrator.state.signs?.gates.count == 3)

        reading.engine(
            #"{"topic":"review.done","payload":"tests: pass, build: pass","ts":"2026-11-21T03:00:09Z"}"#)
        #expect(reading.narrator.state.signs?.gates.count == 0)
    }

    @Test func `tokens are spread over the time that they took`() {
        var signs = SessionSigns()
        let end: Int64 = 100 * 60_000
        signs.noteTokens(20_000, duration: 20 * 60_000, to: end)
        #expect((899...1000).contains(signs.tokensPerMinute(now: end)))

        #expect((399...500).contains(signs.tokensPerMinute(now: end + 5 * 60_000)))
        #expect(signs.tokensPerMinute(now: end + 11 * 60_000) == 0)
        for number in 1...50 { signs.noteTokens(10, duration: 1000, to: end + Int64(number) * 60_000) }
        #expect(Mirror(reflecting: signs).descendant("minutes", 10) == nil)
    }

    @Test func `a row that is dated ahead hides no token of later ones`() {
        var reading = live
        for (minutes, number) in [(60, 1), (0, 2)] {
            let time = Timestamp.text(reading.fileTime + Int64(minutes) * 60_000)
            reading.engine(
                #"{"topic":"iteration.summary","iteration":\#(number),"hat":"loop","ts":"\#(time)","#
                    + #""payload":"{\"duration_ms\":60000,\"input_tokens\":\#(number * 10_000)}"}"# + "\n")
        }
        #expect(
            (2900...3000).contains(reading.narrator.state.signs?.tokensPerMinute(now: reading.fileTime) ?? 0))
    }

    @Test func `tokens of one minute have a largest sum`() {
        var signs = SessionSigns()
        for _ in 1...10_000 { signs.noteTokens(.max / 2, duration: 1, to: 60_001) }
        #expect(signs.tokensPerMinute(now: 60_001) == (1 << 53) / 10)
    }

    @Test func `an episode is remembered with its event and forgotten with its run`() throws {
        var reading = live
        reading.note(.signal(.stalled, episode: 7, payload: #"{"threshold_secs":60}"#, at: 5, since: 3))
        #expect(reading.narrator.state.signs?.episode(.stalled) == 7)
        #expect(reading.narrator.state.signs?.stalledSince == 3)
        let event = try reading.last("sentinel.stalled")
        #expect((event["data"] as? [String: Any])?["threshold_secs"] as? Int == 60)
        #expect(event["source"] as? String == "server" && event["type"] as? String == "sentinel.stalled")

        let revision = reading.narrator.state.revision
        reading.note(.signalOver(.stalled, payload: "{}", at: 6))
        #expect(reading.narrator.state.signs?.episode(.stalled) == nil)
        #expect(reading.narrator.state.signs?.stalledSince == nil)
        #expect(reading.narrator.state.revision > revision && reading.topics().last == "sentinel.recovered")
        #expect(reading.narrator.state.engineEvents == 0 && reading.narrator.state.lastEventAt == nil)

        reading.note(.signal(.burning, episode: 7, payload: "{}", at: 5))
        reading.engine(#"{"topic":"task.start","iteration":0,"hat":"loop","ts":"2026-11-21T03:00:09Z"}"#)
        #expect(reading.narrator.state.signs?.told.isEmpty == true)
    }

    @Test func `a state of a version without figures still decodes`() throws {
        var reading = live
        reading.engine(
            #"{"topic":"task.start","iteration":0,"hat":"loop","ts":"2026-11-21T03:00:09Z"}"# + "\n")
        var object = try decode(String(decoding: JSONEncoder().encode(reading.narrator.state), as: UTF8.self))
        #expect(object["signs"] != nil && object["workedThrough"] != nil)
        (object["signs"], object["workedThrough"]) = (nil, nil)

        let old = try JSONSerialization.data(withJSONObject: object)
        reading.narrator = SessionNarrator(
            state: try JSONDecoder().decode(SessionState.self, from: old), workspace: nil)
        reading.engine(
            #"{"topic":"loop.terminate","iteration":1,"hat":"loop","ts":"2026-11-21T03:00:19Z"}"# + "\n")
        let figures = reading.narrator.takeFigures(now: 1_795_300_000_000)
        #expect(figures.total.runMilliseconds == 10_000 && figures.open == Figures())
    }
}
