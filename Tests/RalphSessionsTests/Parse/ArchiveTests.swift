import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphSessions

@Suite(.timeLimit(.minutes(1))) struct ArchiveTests {
    /// Reads each stretch of equal context again, as an archive does: from its first event's offset, so many
    /// events, with its context.
    private func reread(_ reading: Reading, _ bytes: [UInt8]) throws {
        let items = reading.batch.items.filter { $0.offset >= 0 }
        var index = 0
        while index < items.count {
            let context = reading.batch.contexts[Int(items[index].context)]
            var end = index
            while end < items.count, reading.batch.contexts[Int(items[end].context)] == context { end += 1 }
            var again = EventBatch()
            var offset = Int(items[index].offset)
            while again.count < end - index, offset < bytes.count {
                let stop = bytes[offset...].firstIndex(of: 10) ?? bytes.count
                bytes[offset..<stop].withUnsafeBytes {
                    SessionNarrator.readArchivedLine(
                        $0, context: context, contextIndex: 0, offset: Int64(offset),
                        fileTime: Reading.fileTime, into: &again)
                }
                offset = stop + 1
            }
            for (item, other) in zip(items[index..<end], again.items) {
                try #require(item.offset == other.offset && item.origin == other.origin)
                #expect(strip(reading.batch.text(item.members)) == strip(again.text(other.members)))
            }
            #expect(again.count >= end - index)
            index = end
        }
    }

    /// Without the time, which is moved when an event is new.
    private func strip(_ members: String) -> String {
        members.replacing(/"ts":"[^"]*"/, with: "")
    }

    @Test(arguments: Samples.eventsFiles) func `rows read again are the same`(path: String) throws {
        var reading = Reading()
        reading.engine(try Samples.bytes(path))

        try reread(reading, Samples.bytes(path))
    }

    @Test(arguments: Samples.outputFiles) func `a run's output read again is the same`(path: String) throws {
        var reading = Reading()
        reading.agent(try Samples.text(path))

        try reread(reading, Samples.bytes(path))
    }

    @Test func `output that was partly known read again is the same`() throws {
        let output = Samples.outputFiles.filter { $0.hasPrefix("f-") }
        let path = try #require(output.first)
        var reading = Reading()
        for file in Samples.eventsFiles where file.hasPrefix("f-") { reading.engine(try Samples.bytes(file)) }
        reading.batch = EventBatch()
        reading.agent(try Samples.text(path))

        #expect(!reading.topics(.agent).contains("iteration.started"))
        #expect(reading.narrator.state.droppedAgentLines > 10)
        try reread(reading, Samples.bytes(path))
    }

    @Test func `calls and doubled ends read again are the same`() throws {
        let text = AgentNarrationTests.toolRun
        var reading = Reading()
        reading.agent(text)

        try reread(reading, Array(text.utf8))
    }

    @Test func `what Ralph says for a silent hat is told, and read again is the same`() throws {
        let line = { (rest: String) in
            #"{"type":"orchestration_event","topic":"slice.planned","# + rest + "}\n"
        }
        let text =
            HeldEndTests.beginning + line(#""payload":"s""#) + line(#""payload":"""#)
            + line(#""payload":"","source":"planner""#) + line(#""payload":"x","source":"planner""#)
            + #"{"type":"wave_n","iteration":1}"# + "\n"
        var reading = Reading()
        reading.agent(text)

        let told = try reading.events(.agent).filter { $0["topic"] as? String == "slice.planned" }
        #expect(told.map { $0["payload"] as? String } == [""])
        try reread(reading, Array(text.utf8))
    }

    @Test(arguments: [true, false], ["", HeldEndTests.between, HeldEndTests.between + HeldEndTests.between])
    func `an end that others went past read again is the same`(isDoubled: Bool, between: String) throws {
        let text =
            HeldEndTests.beginning + #"{"type":"wave_n","iteration":1}"# + "\n" + HeldEndTests.first + between
            + (isDoubled ? HeldEndTests.second : "") + #"{"type":"wave_n","iteration":1}"# + "\n"
            + HeldEndTests.next + between + HeldEndTests.termination
        var reading = Reading()
        reading.agent(text)

        #expect(reading.topics().filter { $0 == "iteration.completed" }.count == 1)
        try reread(reading, Array(text.utf8))
    }

    @Test func `held ends in any order of lines, reads, waits and restarts read again are the same`() throws {
        var dice = SeededGenerator(seed: 4_8)
        var lines = [HeldEndTests.first, HeldEndTests.second, HeldEndTests.first, HeldEndTests.next]
        for line in (HeldEndTests.beginning + HeldEndTests.between).split(separator: "\n") {
            lines.append(line + "\n")
        }
        lines.append(#"{"type":"orchestration_event","topic":"a.b"}"# + "\n")
        lines.append(#"{"type":"iteration_end","iteration":2,"duration_ms":7,"output_tokens":3}"# + "\n")
        lines.append(String(HeldEndTests.first.dropLast()) + HeldEndTests.second)
        for _ in 0..<60 {
            var (reading, text) = (Reading(), "")
            for _ in 0..<12 {
                var read = ""
                for _ in 0..<Int.random(in: 1...3, using: &dice) {
                    read += lines.randomElement(using: &dice) ?? ""
                }
                text += read
                reading.agent(read)
                if Int.random(in: 0..<5, using: &dice) == 0 { reading.passTime() }
                let state = try JSONEncoder().encode(reading.narrator.state)
                reading.narrator = SessionNarrator(
                    state: try JSONDecoder().decode(SessionState.self, from: state), workspace: nil)
            }
            reading.passTime()
            try reread(reading, Array(text.utf8))
        }
    }

    @Test func `text that was cut within a sequence read again is the same`() throws {
        var reading = Reading()
        for read in AgentNarrationTests.cutText { reading.agent(read) }

        try reread(reading, Array(AgentNarrationTests.cutText.joined().utf8))
    }

    @Test func `a repaired and glued line read again from its middle is the same`() throws {
        let bytes = Array(#"{"topic":"a","x":""#.utf8) + [0xC3] + Array(#""}  {"topic":"b"}{"hat":"c"}"#.utf8)
        var reading = Reading()
        reading.engine(bytes)
        var again = EventBatch()
        bytes[Int(reading.batch.items[1].offset)...].withUnsafeBytes {
            SessionNarrator.readArchivedLine(
                $0, context: reading.batch.contexts[0], contextIndex: 0,
                offset: reading.batch.items[1].offset, fileTime: Reading.fileTime, into: &again)
        }

        let offsets = reading.batch.items.map(\.offset).filter { $0 >= 0 }
        #expect(again.items.map(\.offset) == Array(offsets.dropFirst()))
        #expect(again.text(again.items[0].members) == reading.batch.text(reading.batch.items[1].members))
    }
}
