import RalphWire
import Testing

@testable import RalphSessions

@Suite struct LineScanTests {
    /// Topics and number of malformed lines.
    @Test func `each line that cannot be read is a change that is stored`() {
        var reading = Reading()
        for count in 1...3 {
            let before = reading.narrator.state.revision
            reading.engine("no object\n")
            #expect(reading.narrator.state.malformedLines == count)
            #expect(reading.narrator.state.revision > before)
        }
    }

    @Test(arguments: [
        (#"{"topic":"a"}{"topic":"b"}"#, ["a", "b"], 0), (#" {"topic":"a"} "#, ["a"], 0),
        ("\u{FEFF}{\"topic\":\"a\"}\r", ["a"], 0), ("not json", [], 1), (#"{"topic":"a"} tail"#, ["a"], 1),
        (#"{"topic":"a"}x{"topic":"b"}"#, ["a"], 1),
        (#"{"topic":"a"}x{"topic":"b","ts":"t"}{"topic":"c"}"#, ["a", "b", "c"], 1),
        (#"{"topic":"half","payload":"first {"topic":"b","ts":"t"}"#, ["b"], 1),
        (#"{"topic":"torn","payload":{"a":1},"#, [], 1), ("[1]", [], 1), ("7", [], 1),
        (#"{"topic":"a",}"#, [], 1), (#"{"topic":"a" "b":1}"#, [], 1), (#"{"a":01}"#, [], 1),
        (#"{"a":1.}"#, [], 1), (#"{"a":-}"#, [], 1), (#"{"a":tru}"#, [], 1), (#"{"a":"\x"}"#, [], 1),
        (#"{"a":"\u12g4"}"#, [], 1), (#"{"a":[1,]}"#, [], 1), (#"{"a":[}"#, [], 1), ("{\"a\":\"\t\"}", [], 1),
        (#"{"topic":"a","x":[[],{},[{"y":[-1.5e+3,null]}], "z" ]}"#, ["a"], 0),
    ]) func `objects of a line are events and the rest is malformed`(
        line: String, topics: [String], malformed: Int
    ) {
        var reading = Reading()
        reading.engine(line)

        #expect(reading.topics(.engine) == topics)
        #expect(reading.narrator.state.malformedLines == malformed)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a line of many repaired objects gives each where it stands in its file`() {
        let count = 20_000
        var line: [UInt8] = []
        for _ in 0..<count { line += Array(##"{"":""##.utf8) + [0xFF] + Array(##""}"##.utf8) }
        var reading = Reading()
        reading.engine(line)

        let length = Int64(line.count / count)
        #expect(reading.batch.items.map(\.offset) == (0..<Int64(count)).map { $0 * length })
    }

    @Test func `nesting has a limit`() {
        var reading = Reading()
        for depth in [127, 128] {
            let nest = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            reading.engine(#"{"topic":"d\#(depth)","x":\#(nest)}"# + "\n")
        }

        #expect(reading.topics(.engine) == ["d127"])
    }

    @Test func `only the first malformed line of a file is an event`() throws {
        var reading = Reading()
        reading.engine("x\ny\n")
        reading.engine("z\n", file: "events-2.jsonl")

        #expect(reading.topics(.server) == ["events.malformed", "events.malformed"])
        #expect(reading.narrator.state.malformedLines == 3)
    }

    @Test func `objects know where they stand`() {
        var reading = Reading()
        reading.engine("{\"topic\":\"a\"}\n  {\"topic\":\"b\"} {\"topic\":\"c\"}\n")

        #expect(reading.batch.items.map(\.offset) == [0, 16, 30])
    }
}
