import Foundation
import RalphWire
import Testing

@testable import RalphSessions

@Suite struct EngineLineTests {
    @Test(arguments: [
        (#""ts":"2026-11-21T03:20:36.901869903+00:00""#, "2026-11-21T03:20:36.901Z"),
        (#""ts":"2026-11-21T03:20:36Z""#, "2026-11-21T03:20:36.000Z"),
        (#""ts":"2026-11-21T05:20:36.5+02:00""#, "2026-11-21T03:20:36.500Z"),
        (#""timestamp":"2026-11-21T03:20:36.5Z""#, "2026-11-21T03:20:36.500Z"),
        (#""ts":1795231236901"#, "2026-11-21T03:20:36.901Z"),
        (#""ts":1795231236"#, "2026-11-21T03:20:36.000Z"),
        (#""ts":"yesterday""#, "2026-11-21T22:26:40.000Z"),
        (#""ts":true"#, "2026-11-21T22:26:40.000Z"),
        (#""x":1"#, "2026-11-21T22:26:40.000Z"),
    ]) func `times are normalised`(member: String, expected: String) throws {
        #expect(try event(of: #"{"topic":"a",\#(member)}"#)["ts"] as? String == expected)
    }

    @Test func `a time that was spelled otherwise is kept as it was`() throws {
        let same = try event(of: #"{"topic":"a","ts":"2026-11-21T03:20:36.901Z"}"#)
        let other = try event(of: #"{"topic":"a","ts":"2026-11-21T03:20:36.9+00:00"}"#)

        #expect(same["ts_raw"] == nil)
        #expect(other["ts_raw"] as? String == "2026-11-21T03:20:36.9+00:00")
    }

    @Test(arguments: [
        ("build.done", "event.published"), ("human.guidance", "human.guidance"),
        ("human.guidance.ack", "event.published"), ("human.interact", "human.interact"),
        ("human.response", "human.response"), ("loop.terminate", "event.published"),
        ("assistant", "assistant"), ("result", "result"), ("backpressure.failed", "backpressure"),
        ("hat.changed", "hat.transition"), ("hat.activated", "hat.activated"),
    ]) func `a row without a type gets one by its topic`(topic: String, type: String) throws {
        #expect(
            try event(of: #"{"topic":"\#(topic)","ts":"2026-01-01T00:00:00Z"}"#)["type"] as? String == type)
    }

    @Test func `the loop's own end has a type of its own`() throws {
        let event = try event(of: #"{"topic":"loop.terminate","hat":"loop","iteration":1}"#)
        #expect(event["type"] as? String == "loop.terminate")
    }

    @Test(arguments: [
        (#"{"type":"tool.call","ts":"2026-01-01T00:00:00Z"}"#, "tool.call", "tool.call"),
        (#"{"type":"a","topic":"b"}"#, "a", "b"), (#"{"topic":"a","topic":"b"}"#, "event.published", "b"),
        (#"{}"#, "event.published", "event.published"),
        (#"{"topic":"","type":""}"#, "event.published", "event.published"),
        (#"{"topic":7,"type":null}"#, "event.published", "event.published"),
    ]) func `topic and type stand in for each other`(line: String, type: String, topic: String) throws {
        let event = try event(of: line)

        #expect(event["type"] as? String == type)
        #expect(event["topic"] as? String == topic)
    }

    @Test(arguments: [
        (#"b\u0075ild\/done"#, "build/done"), (#"\u00fc.z"#, "ü.z"), (#"\ud83d\ude00"#, "😀"),
        (#"a\"b\\\u000a\u2028"#, #"a\"b\\\n\u2028"#), (#"\ud83d!"#, "\u{FFFD}!"),
    ]) func `a word is spelled with the escapes that it needs`(spelled: String, wire: String) {
        var reading = Reading()
        reading.engine(#"{"topic":"\#(spelled)"}"#)

        #expect(reading.texts.last?.contains(#""topic":"\#(wire)""#) == true)
    }

    @Test(
        arguments: [
            (#""a \"b\"\n✓""#, "a \"b\"\n✓", nil), (#"null"#, nil, nil), (#"7"#, "7", "7"),
            (#"true"#, "true", "true"),
            (#"{"a": [1, "x y"]}"#, #"{"a":[1,"x y"]}"#, #"{"a":[1,"x y"]}"#), (#"[ ]"#, "[]", "[]"),
            (#""{\"a\": 1}""#, #"{"a": 1}"#, #"{"a":1}"#), (#""\n [1]\n""#, "\n [1]\n", "[1]"),
            (#""{not json}""#, "{not json}", nil), (#""[1] and more""#, "[1] and more", nil),
            (#""lone \ud800 half""#, "lone \u{FFFD} half", nil), (#""\ud83d\ude00""#, "😀", nil),
            (#"{"n":1e999}"#, #"{"n":"1e999"}"#, #"{"n":"1e999"}"#),
            (#"{"a":"\ud800"}"#, #"{"a":"\ufffd"}"#, #"{"a":"\ufffd"}"#),
        ] as [(String, String?, String?)])
    func `a payload is text, and data what the text means`(json: String, text: String?, data: String?) throws
    {
        var reading = Reading()
        reading.engine(#"{"topic":"a","payload":\#(json)}"#)

        let event = try #require(try reading.events().first)
        #expect(event["payload"] as? String == text)
        #expect((event["data"] != nil) == (data != nil))
        if let data { #expect(reading.texts[0].contains(#""data":\#(data),"#)) }
    }

    @Test func `known members keep their place and others go under extra`() throws {
        let event = try event(
            of:
                #"{"topic":"a","hat":"Builder","iteration":3,"triggered":"x","blocked_count":2,"wave_id":"w","#
                + #""wave_index":1,"wave_total":3,"tool":"Bash","status":"completed","input":{"command":"ls"},"#
                + #""output":"o","duration":12,"id":"evt_1","source":"me","odd":[1]}"#)
        let extra = try #require(event["extra"] as? [String: Any])

        #expect(event["hat"] as? String == "builder")
        #expect(event["iteration"] as? Int == 3)
        #expect(event["wave_total"] as? Int == 3)
        #expect((event["input"] as? [String: String]) == ["command": "ls"])
        #expect(event["duration"] as? Int == 12)
        #expect(event["source"] as? String == "engine")
        #expect(Set(extra.keys) == ["id", "source", "odd"])
    }

    @Test func `members of a wrong type go under extra`() throws {
        let event = try event(
            of:
                #"{"topic":"a","hat":1,"iteration":1.5,"duration":12.5,"input":"x","output":{},"wave_index":-1}"#
        )
        let extra = try #require(event["extra"] as? [String: Any])

        #expect(
            Set(extra.keys) == ["hat", "iteration", "duration", "input", "output", "wave_index"])
        #expect(Set(event.keys) == ["type", "ts", "topic", "source", "extra"])
    }

    @Test func `line breaks and controls of Unicode never stand raw`() throws {
        var reading = Reading()
        reading.engine(
            "{\"topic\":\"a\u{2028}\",\"payload\":\"b\u{85}\u{9b}2Jc\u{2029}\u{a0}\",\"k\u{2028}\":[\"\u{80}\"]}"
        )

        let raw = reading.texts[0].unicodeScalars.filter { $0.value >= 0x80 }.map(\.value)
        #expect(raw == [0xA0])
        #expect(try reading.events()[0]["payload"] as? String == "b\u{85}\u{9b}2Jc\u{2029}\u{a0}")
    }

    @Test func `bytes that are no UTF-8 are replaced and said to be`() throws {
        var reading = Reading()
        reading.engine(
            Array(#"{"topic":"a"}{"topic":"b","payload":"x"#.utf8) + [0xFF] + Array(#""}{"topic":"c"}"#.utf8))

        let events = try reading.events(.engine)
        #expect(events.map { $0["repaired"] as? Bool } == [nil, true, nil])
        #expect(events[1]["payload"] as? String == "x\u{FFFD}")
        #expect(reading.batch.items.map(\.offset) == [0, 13, 41])
    }

    @Test(arguments: ["é", "\u{85}", "\u{2028}"])
    func `an event that is too large loses its end and says so`(character: String) throws {
        var reading = Reading()
        let text = String(repeating: character, count: 300_000)
        reading.engine(#"{"topic":"a","payload":"\#(text)","output":"\#(text)"}"#)

        let event = try #require(try reading.events().first)
        #expect(event["truncated"] as? Bool == true)
        #expect(event["data"] == nil)
        #expect((event["payload"] as? String)?.last.map(String.init) == character)
        #expect(reading.texts[0].utf8.count <= EventEncoder.softCap)
    }

    @Test func `the words of an event that is too large are cut as they are written`() throws {
        let word = String(repeating: "\\u0001", count: 1000)
        let text = String(repeating: "x", count: 160 * 1024)
        var reading = Reading()
        reading.engine(
            #"{"topic":"\#(word)","hat":"\#(word)","triggered":"\#(word)","wave_id":"\#(word)","tool":"\#(word)","#
                + #""status":"\#(word)","payload":"\#(text)","output":"\#(text)"}"# + "\n")

        let event = try #require(try reading.events().first)
        #expect(event["truncated"] as? Bool == true)
        #expect((event["topic"] as? String)?.utf8.count == 170)
        #expect(reading.texts[0].utf8.count <= EventEncoder.softCap)
    }

    @Test(arguments: [false, true])
    func `an event that loses nothing but its data says so`(isString: Bool) throws {
        let object = #"{"note":"\#(String(repeating: "x", count: 200_000))"}"#
        let payload = isString ? "\"" + object.replacing("\"", with: "\\\"") + "\"" : object
        var reading = Reading()
        reading.engine(#"{"topic":"a","payload":\#(payload),"more":{"truncated":false}}"#)

        let event = try #require(try reading.events().first)
        #expect(event["truncated"] as? Bool == true && event["data"] == nil)
        #expect(event["payload"] as? String == object)
        #expect(event["extra"] as? [String: [String: Bool]] == ["more": ["truncated": false]])
        #expect(SessionNarrator.isCut(Array(reading.texts[0].utf8)[...]))
    }

    @Test func `an event that nothing was cut of is not taken for one`() throws {
        var reading = Reading()
        reading.engine(#"{"topic":"a","truncated":true}{"topic":"b","more":{"truncated":true}}"#)

        let texts = reading.texts
        #expect(texts.count == 2 && !texts.contains { SessionNarrator.isCut(Array($0.utf8)[...]) })
    }

    @Test func `events of one name and millisecond are moved apart`() throws {
        var reading = Reading()
        for topic in ["a", "a", "b", "a"] {
            reading.engine(#"{"topic":"\#(topic)","ts":"2026-01-01T00:00:00.000Z"}"# + "\n")
        }

        let times = try reading.events().compactMap { $0["ts"] as? String }
        #expect(times.map { $0.suffix(5) } == [".000Z", ".001Z", ".000Z", ".002Z"])
        #expect(reading.narrator.state.lastEventAt.map(Timestamp.text)?.suffix(5) == ".002Z")
    }
}
