import Foundation

/// The evidence that some topics must carry (contract 2.7).
enum Backpressure {
    /// `event`, or what ralph says instead of it.
    static func verdict(on event: IncomingEvent) -> IncomingEvent {
        let text = (event.payload ?? "").replacing(escapeSequence, with: "")
        switch event.topic {
        case "build.done" where !isBuilt(text):
            return IncomingEvent(topic: "build.blocked", payload: "Missing backpressure evidence.")
        case "review.done" where !event.isOfWave && !(text.says("tests: pass") && text.says("build: pass")):
            return IncomingEvent(topic: "review.blocked", payload: "Missing verification evidence.")
        case "verify.passed" where !isVerified(text):
            return IncomingEvent(topic: "verify.failed", payload: "Missing quality evidence.")
        default: return event
        }
    }

    /// CSI up to its final byte, OSC up to BEL or ST, or ESC with one character.
    private static var escapeSequence: some RegexComponent {
        #/\x1B(?:\[[^@-~]*[@-~]?|\][^\x07]*?(?:\x07|\x1B\\|\z)|[^\[\]]|\z)/#.matchingSemantics(.unicodeScalar)
    }

    private static func isBuilt(_ text: String) -> Bool {
        let segments = segments(text)
        let first = { (names: [String]) in segments.first { names.contains(where: $0.begins) } ?? "" }
        let performance = first(["performance:", "perf:"])
        let specs = first(["specs:"])
        return ["tests", "lint", "typecheck", "audit", "coverage"].allSatisfy { text.says($0 + ": pass") }
            && first(["duplication:"]).says("duplication: pass")
            && first(["complexity:"]).number ?? .infinity <= 10
            && !performance.says("regression") && !performance.says("fail")
            && (specs.says("specs: pass") || !specs.says("specs: fail"))
    }

    private static func isVerified(_ text: String) -> Bool {
        let segments = segments(text)
        let last = { (name: String) in segments.last { $0.begins("quality.\(name):") } ?? "" }
        return ["tests", "lint", "audit"].allSatisfy { last($0).says("pass") }
            && last("coverage").percentage ?? 0 >= 80 && last("mutation").percentage ?? 0 >= 70
            && last("complexity").number ?? .infinity <= 10
            && (last("specs").says("pass") || !last("specs").says("fail"))
    }

    /// What stands between commas and LFs, without the white space before it, A-Z in lower case.
    private static func segments(_ text: String) -> [String] {
        text.unicodeScalars.split { $0 == "," || $0 == "\n" }.map { segment in
            let scalars = segment.drop(while: \.properties.isWhitespace)
            return String(String.UnicodeScalarView(scalars.map(lowered)))
        }
    }

    private static func lowered(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        ("A"..."Z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value) | 0x20) : scalar
    }
}

/// Letter for letter, as ralph compares: not by what looks the same.
extension String {
    fileprivate func says(_ marker: String) -> Bool { range(of: marker, options: .literal) != nil }

    fileprivate func begins(_ marker: String) -> Bool { utf8.starts(with: marker.utf8) }

    /// The digits and points from the first digit on.
    fileprivate var number: Double? {
        firstMatch(of: #/[0-9][0-9.]*/#.matchingSemantics(.unicodeScalar)).flatMap { Double($0.output) }
    }

    /// The number right before the first per cent sign; else the first one.
    fileprivate var percentage: Double? {
        let head = firstMatch(of: #/^[^%]*?([0-9.]*)%/#.matchingSemantics(.unicodeScalar))
        return head.flatMap { Double($0.output.1) } ?? number
    }
}
