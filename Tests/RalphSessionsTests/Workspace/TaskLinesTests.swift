import Testing

@testable import RalphSessions

struct TaskLinesTests {
    private static let first =
        #"{"id":"task-100-aaaa","title":"A","status":"open","priority":2,"blocked_by":[],"created":"2026-01-01T00:00:00.1+00:00"}"#
    private static let second =
        #"{"id":"task-200-bbbb","title":"B","status":"closed","priority":1,"blocked_by":["task-100-aaaa"],"loop_id":"l","created":"2026-01-02T00:00:00+00:00","closed":"2026-01-03T00:00:00Z","key":"k","odd":{"a":[1]}}"#
    private static let third =
        #"{"id":"task-300-cccc","title":"C","description":"d","status":"open","priority":2,"created":"2026-01-04T00:00:00Z"}"#

    private func lines(_ texts: String...) -> TaskLines {
        TaskLines(Array(texts.map { $0 + "\n" }.joined().utf8))
    }

    @Test func `tasks come by priority and then newest first`() {
        let lines = lines(Self.first, Self.second, Self.third)
        let page = lines.page(status: nil, offset: 0, limit: 10)
        #expect(page.tasks.map(\.title) == ["B", "C", "A"])
        #expect(page.tasks.first?.blockedBy == ["task-100-aaaa"])
        #expect(page.tasks.first?.loopID == "l")
        #expect(page.total == 3)
        #expect(lines.page(status: "open", offset: 1, limit: 1).tasks.map(\.title) == ["A"])
        #expect(lines.page(status: "failed", offset: 0, limit: 1).total == 0)
    }

    @Test func `the time of change is the latest of all times`() {
        let tasks = lines(Self.second, Self.third).page(status: nil, offset: 0, limit: 9).tasks
        #expect(tasks.map { $0.updated - $0.created } == [86_400_000, 0])
    }

    @Test(arguments: [
        "{", "7", "[]", "null", #"{"id":"x"}"#,
        #"{"id":"x","title":1,"status":"open","priority":1,"created":""}"#,
        #"{"id":"x","title":"t","status":"open","priority":256,"created":""}"#,
        #"{"id":"x","title":"t","status":"open","priority":-1,"created":""}"#,
        #"{"id":"x","title":"t","status":"open","priority":1,"created":"","blocked_by":"y"}"#,
        #"{"id":"x","title":"t","status":"open","priority":1,"created":"","blocked_by":["a",5]}"#,
        #"{"id":"x","title":"t","status":"open","priority":1,"created":"","blocked_by":[["a"]]}"#,
        #"{"id":"x","title":"t","status":"open","priority":1,"created":"","blocked_by":["\",",null]}"#,
        #"{"id":"x","title":"t","status":"open","priority":1,"created":""} {"#,
    ])
    func `what is no task is counted and nothing else`(_ text: String) {
        let page = lines(Self.first, text, "", "  ", Self.third).page(status: nil, offset: 0, limit: 9)
        #expect(page.tasks.map(\.title) == ["C", "A"])
        #expect(page.skippedLines == 1)
    }

    @Test(arguments: [
        (#"["a\ud800b"]"#, ["a\u{FFFD}b"]), (#"[ "a" ,"\"," , "\u00e4" ]"#, ["a", "\",", "ä"]), ("[ ]", []),
        (#"["\\"]"#, ["\\"]),
    ])
    func `every task that counts is shown with what blocks it`(_ text: String, _ blockers: [String]) {
        let task =
            #"{"id":"x","title":"\udc00","status":"open","priority":1,"created":"","blocked_by":\#(text)}"#
        let page = lines(Self.first, task).page(status: nil, offset: 0, limit: 9)
        #expect(page.total == 2 && page.tasks.count == 2 && page.skippedLines == 0)
        #expect(page.tasks.first?.blockedBy == blockers)
    }

    @Test func `a time that cannot be read is that of the id`() {
        let odd = #"{"id":"task-7-aaaa","title":"t","status":"open","priority":1,"created":"yesterday"}"#
        let worse = #"{"id":"x","title":"t","status":"open","priority":1,"created":""}"#
        let tasks = lines(odd, worse).page(status: nil, offset: 0, limit: 9).tasks
        #expect(tasks.map(\.created) == [7000, 0])
    }

    @Test func `a task is found by its id, and only as an id`() {
        let other = #"{"id":"x","title":"task-300-cccc","status":"open","priority":1,"created":""}"#
        let lines = lines(other, Self.third)
        let range = lines.range(of: "task-300-cccc")
        #expect(range.map { String(decoding: lines.bytes[$0], as: UTF8.self) } == Self.third)
        for id in ["", "t", "task-300-ccc", "nothing"] { #expect(lines.range(of: id) == nil) }
    }

    @Test(arguments: [
        Self.third, Self.third.dropLast(9) + "", #"{"blocked_by":["task-100-aaaa"]}"#, "task-100-aaaa",
    ])
    func `an id that stands in a last line without its line feed is not found there`(_ last: String) {
        let lines = TaskLines(Array((Self.first + "\n" + last).utf8))
        for id in ["t", "task", "task-", "aaaa", "task-100-aaaa-", "}"] {
            #expect(lines.range(of: id) == nil)
        }
    }

    @Test func `a line that is added does not join one that was torn off`() {
        let torn = TaskLines(Array((Self.first + "\n" + Self.second.prefix(20)).utf8))
        let whole = TaskLines(torn.appending(Array(Self.third.utf8)))
        let page = whole.page(status: nil, offset: 0, limit: 9)
        #expect(page.tasks.map(\.title) == ["C", "A"])
        #expect(page.skippedLines == 1)
    }

    @Test func `a changed line keeps what nobody knows as it is spelled`() throws {
        let text = #"{"id":"x", "odd": {"a" : [1.50e3]},"title":"t","title":"u","e":"\u00e9"}"#
        var line = try #require(TaskLine(Array(text.utf8)[...]))
        line.set("title", "new \"one\"")
        line.set("status", "open")
        line.remove("id")
        line.set("blocked_by", ["a", "b"])
        let result = String(decoding: line.bytes, as: UTF8.self)
        #expect(
            result
                == #"{"odd":{"a" : [1.50e3]},"title":"new \"one\"","e":"\u00e9","status":"open","blocked_by":["a","b"]}"#
        )
    }

    @Test func `a line with more members than are read is left alone`() {
        let many = "{" + (0..<300).map { "\"m\($0)\":1" }.joined(separator: ",") + "}"
        #expect(TaskLine(Array(many.utf8)[...]) == nil)
        #expect(lines(many).page(status: nil, offset: 0, limit: 9).skippedLines == 1)
    }
}
