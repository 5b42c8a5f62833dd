import RalphSessions
import RalphWire
import Testing

struct UserRowTests {
    private static let row =
        #"{"id":"cmd_0011223344556677","payload":"use sqlite","source":"user","topic":"human.guidance","#
        + #""ts":"2026-11-21T03:20:36.000Z"}"#

    @Test func `a row that was appended for a person is the person's`() throws {
        var reading = Reading()
        reading.engine(Self.row)

        let event = try #require(try reading.events(.user).first)
        #expect(event["source"] as? String == "user")
        #expect(event["type"] as? String == "human.guidance")
        #expect(event["extra"] as? [String: String] == ["id": "cmd_0011223344556677"])
    }

    @Test(arguments: [#""engine""#, #""users""#, "{}", "null"])
    func `any other source is a member like others`(source: String) throws {
        var reading = Reading()
        reading.engine(#"{"topic":"a","ts":"2026-11-21T03:20:36.000Z","source":\#(source)}"#)

        let event = try #require(try reading.events(.engine).first)
        #expect((event["extra"] as? [String: Any])?.keys.sorted() == ["source"])
    }

    @Test func `the archive gives a person's row in the same bytes`() throws {
        var reading = Reading()
        reading.engine(Self.row)
        let item = try #require(reading.batch.items.first)
        var again = EventBatch()
        again.contexts = reading.batch.contexts
        Array(Self.row.utf8).withUnsafeBytes { line in
            SessionNarrator.readArchivedLine(
                line, context: reading.batch.contexts[0], contextIndex: 0, offset: 0,
                fileTime: Reading.fileTime, into: &again)
        }

        #expect(again.items == [item])
        #expect(again.bytes == Array(reading.batch.bytes[item.members]))
    }

    @Test func `a person's row that is cut keeps its id`() throws {
        let text = String(repeating: "x", count: 300_000)
        var reading = Reading()
        reading.engine(
            #"{"id":"cmd_0011223344556677","payload":"\#(text)","more":1,"source":"user","topic":"t","#
                + #""ts":"2026-11-21T03:20:36.000Z"}"#)

        let event = try #require(try reading.events(.user).first)
        #expect(event["truncated"] as? Bool == true)
        #expect(event["extra"] as? [String: String] == ["id": "cmd_0011223344556677"])
    }

    @Test func `a question knows its row and its hat`() throws {
        let row =
            #"{"topic":"human.interact","payload":"which?","hat":"Builder","ts":"2026-11-21T03:20:36.000Z"}"#
        var reading = Reading()
        reading.engine(Self.row + "\n" + row)

        let question = try #require(reading.narrator.state.questions.first)
        #expect(question.text == "which?" && question.hat == "builder")
        let offset = Int64(Self.row.utf8.count + 1)
        #expect(question.place == .init(file: Reading.engineFile, generation: 0, offset: offset))
    }
}
