import Testing

@testable import RalphControl

@Suite struct JSONValueTextTests {
    @Test(arguments: [
        "\"a\"", "null", "1.50", "{\"b\": [1, 2]}", "\"\\ud83d\\ude00\"", "\"\\u0000\"", "\"\\\\ud800\"",
        "1e300",
    ])
    func `values that Ralph can read pass as they are`(text: String) {
        #expect(JSONValueText(text).map { String(decoding: $0.bytes, as: UTF8.self) } == text)
    }

    @Test(arguments: [
        "", "{", "{\"a\":1}x", "nul", "1e999", "\"\\ud800\"", "\"\\udc00\\ud800\"", "\"\\ud800x\"",
        String(repeating: "[", count: 101) + String(repeating: "]", count: 101),
    ])
    func `values at which Ralph would count a malformed line do not`(text: String) {
        #expect(JSONValueText(text) == nil)
    }

    @Test func `a pretty-printed object becomes one line`() {
        let value = JSONValueText("{\n  \"a\": 1\r\n}")
        #expect(value.map { $0.bytes.contains(0x0A) || $0.bytes.contains(0x0D) } == false)
        #expect(value?.payload == #"{"a":1}"#)
    }
}
