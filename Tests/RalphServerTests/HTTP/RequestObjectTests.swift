import RalphWire
import Testing

@testable import RalphServer

/// Bodies that are made to cost more than they weigh.
struct RequestObjectTests {
    @Test(arguments: [
        ("[", "", "the body must be a JSON object"),
        (#"{"a":["#, "[", "the body must be nested at most 128 deep"),
        (#"{"a":"#, #"{"a":"#, "the body must be nested at most 128 deep"),
    ])
    func `a hundred thousand brackets are refused in a sentence`(
        _ start: String, _ unit: String, _ sentence: String
    ) {
        let body = start + String(repeating: unit.isEmpty ? start : unit, count: 100_000)

        let problem = #expect(throws: Problem.self) { try RequestObject(Array(body.utf8)) }

        #expect(problem == .invalidRequest(sentence))
    }

    @Test(arguments: [(127, true), (128, false)])
    func `nesting has a limit`(_ depth: Int, _ isRead: Bool) throws {
        let nest = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let object = try? RequestObject(Array(#"{"a":\#(nest)}"#.utf8))  // refused above

        #expect((object != nil) == isRead)
        #expect(try object?.json("a", limit: 1000) == (isRead ? nest : nil))
    }
}
