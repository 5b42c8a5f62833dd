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

    @Test(arguments: [
        ("1e300", "1e300"), ("1E+007", "1E+007"), ("-1e-400", "-1e-400"), ("[1e300, 2]", "[1e300,2]"),
        (#""1e300""#, #""1e300""#), (#""1e999""#, #""1e999""#),
    ])
    func `a number of up to 1e308 stays one`(_ sent: String, _ given: String) throws {
        let object = try RequestObject(Array(#"{"a":\#(sent)}"#.utf8))

        #expect(try object.json("a", limit: 1000) == given)
    }

    @Test(arguments: ["1e400", #"{"n":-1e400}"#, "[0,1.7976931348623157e308]"])
    func `a larger number is refused`(_ sent: String) throws {
        let object = try RequestObject(Array(#"{"a":\#(sent),"b":1e400}"#.utf8))

        let problem = #expect(throws: Problem.self) { try object.json("a", limit: 1000) }

        #expect(problem == .invalidRequest("a must not contain a number beyond 1e+308"))
    }

    @Test(arguments: [
        ("a", 1, 2, true), (#"\u0001"#, 3, 2, true), ("a", 1, 3, false), ("a", 1, 100_000, false),
        ("a", 100_000, 1, false),
    ])
    func `a list is not read to its end to learn that it is too long`(
        _ unit: String, _ units: Int, _ elements: Int, _ isRead: Bool
    ) throws {
        let element = "\"" + String(repeating: unit, count: units) + "\""
        let list = Array(repeating: element, count: elements).joined(separator: ",")
        let object = try RequestObject(Array("{\"a\":[\(list)]}".utf8))

        guard !isRead else {
            #expect(try object.strings("a", count: 2, limit: 3)?.count == elements)
            return
        }
        let problem = #expect(throws: Problem.self) { try object.strings("a", count: 2, limit: 3) }
        #expect(problem == .invalidRequest("a may have 2 elements, each of at most 3 bytes"))
    }

    @Test(arguments: [#""aaaa""#, "7", #"{"b":"c"}"#, "[7]", #"["a",null]"#])
    func `what is no list of strings is said to be none`(_ sent: String) throws {
        let object = try RequestObject(Array(#"{"a":\#(sent)}"#.utf8))

        let problem = #expect(throws: Problem.self) { try object.strings("a", count: 2, limit: 3) }

        #expect(problem == .invalidRequest("a must be a list of strings"))
    }

    @Test(arguments: [(127, true), (128, false)])
    func `nesting has a limit`(_ depth: Int, _ isRead: Bool) throws {
        let nest = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let object = try? RequestObject(Array(#"{"a":\#(nest)}"#.utf8))  // refused above

        #expect((object != nil) == isRead)
        #expect(try object?.json("a", limit: 1000) == (isRead ? nest : nil))
    }
}
