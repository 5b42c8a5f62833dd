import Testing

@testable import RalphWire

struct JSONObjectTextTests {
    @Test func `members stand in the order in which they came`() {
        var object = JSONObjectText()
        #expect(object.text == "{}")
        object.add("b\"", "x\n")
        object.add("a", nil)
        object.add("n", Int64.min)
        object.add("d", 1.5)
        object.add("f", true)
        object.add("t", ["y", "\\"])
        object.add("e", [String]())
        object.add("j", json: Array("{}".utf8))
        object.addMember { $0 += "\"m\":1".utf8 }

        let start = #"{"b\"":"x\n","a":null,"n":-9223372036854775808,"d":1.5,"f":true,"#
        #expect(object.text == start + #""t":["y","\\"],"e":[],"j":{},"m":1}"#)
        #expect(object.finished == Array(object.text.utf8))
    }
}
