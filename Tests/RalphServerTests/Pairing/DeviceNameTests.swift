import RalphWire
import Testing

@testable import RalphServer

struct DeviceNameTests {
    @Test(arguments: ["a", "Mia’s iPhone", "电话", "👩‍💻 phone", String(repeating: "n", count: 80)])
    func `a name is a text of one line`(_ text: String) throws {
        #expect(try DeviceName(text).text == text)
    }

    @Test(arguments: [
        "", " ", String(repeating: "n", count: 81), "a\nb", "\u{1B}[31mred", "a\u{7}", "a\u{9B}31m",
        "a\u{2028}b",
        "\u{202E}evil", "a\u{0}",
    ])
    func `what could do something to a terminal is no name`(_ text: String) {
        #expect(throws: Problem.self) { try DeviceName(text) }
    }
}
