import Foundation
import Testing

@testable import RalphServer

struct ContractValueTests {
    @Test(arguments: [
        ("a: 200", #"{"a":200}"#), ("200: a", #"{"200":"a"}"#), ("'200': a", #"{"200":"a"}"#),
        ("a: '200'", #"{"a":"200"}"#), ("a: \"1.0\"", #"{"a":"1.0"}"#), ("a: 3.1.0", #"{"a":"3.1.0"}"#),
        ("a: 1.50", #"{"a":1.5}"#), ("a: 1e3", #"{"a":1000.0}"#), ("a: .5", #"{"a":0.5}"#),
        ("a: 5.", #"{"a":5.0}"#),
        ("a: -0.25", #"{"a":-0.25}"#), ("a: +7", #"{"a":7}"#), ("a: 007", #"{"a":7}"#),
        ("a: 0x1F", #"{"a":31}"#),
        ("a: 0o17", #"{"a":15}"#), ("a: .inf", #"{"a":".inf"}"#), ("a: .nan", #"{"a":".nan"}"#),
        ("a: true", #"{"a":true}"#), ("a: False", #"{"a":false}"#), ("a: yes", #"{"a":"yes"}"#),
        ("a: no", #"{"a":"no"}"#), ("a: on", #"{"a":"on"}"#), ("on: off", #"{"on":"off"}"#),
        ("true: 1", #"{"true":1}"#), ("a: null", #"{"a":null}"#), ("a: ~", #"{"a":null}"#),
        ("a:", #"{"a":null}"#),
        ("null: 1", #"{"null":1}"#), ("a: 'null'", #"{"a":"null"}"#), ("a: ''", #"{"a":""}"#),
        ("a: 2026-02-05", #"{"a":"2026-02-05"}"#),
        ("a: 2026-02-05T10:30:45.123Z", #"{"a":"2026-02-05T10:30:45.123Z"}"#),
        ("a: 12:30:45", #"{"a":"12:30:45"}"#), ("a: 1_000", #"{"a":"1_000"}"#), ("a: !!str 5", #"{"a":"5"}"#),
        ("a: [1, 'b', [], {}]", #"{"a":[1,"b",[],{}]}"#), ("a: |\n  x\n  5\n", #"{"a":"x\n5\n"}"#),
        ("a: >-\n  x\n  y\n", #"{"a":"x y"}"#), ("a: '^[0-9]+$'", #"{"a":"^[0-9]+$"}"#),
        ("a: \"\\u0007\"", #"{"a":"\u0007"}"#),
        ("b: &x {c: 1}\na: *x", #"{"b":{"c":1},"a":{"c":1}}"#), ("a: 1-2", #"{"a":"1-2"}"#),
        ("a: e5", #"{"a":"e5"}"#), ("a: 1e", #"{"a":"1e"}"#), ("a: 1.2.3", #"{"a":"1.2.3"}"#),
        ("z: 1\na: 2", #"{"z":1,"a":2}"#),
    ])
    func `values keep their types and members their order`(_ yaml: String, _ json: String) throws {
        let value = try ContractValue(yaml: yaml)

        #expect(String(decoding: value.json, as: UTF8.self) == json)
        _ = try JSONSerialization.jsonObject(with: Data(value.json))
    }

    @Test(arguments: ["", "a: [", "a: 1\na: 2", "{[1]: 2}", "a: *b", "\t- x: :"])
    func `what is no document is refused`(_ yaml: String) {
        #expect(throws: ContractError.self) { try ContractValue(yaml: yaml) }
    }

    @Test func `deep nesting is refused`() {
        let yaml = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
        #expect(throws: ContractError.self) { try ContractValue(yaml: yaml) }
    }

    @Test func `big numbers stay numbers`() throws {
        let value = try ContractValue(yaml: "a: 9223372036854775807\nb: 92233720368547758070")
        #expect(value["a"] == .number("9223372036854775807"))
        #expect(value["b"]?.string == nil)
    }
}
