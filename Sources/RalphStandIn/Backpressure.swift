/// The evidence that some topics must carry (contract 2.7).
enum Backpressure {
    /// `event`, or what ralph says instead of it.
    static func verdict(on event: IncomingEvent) -> IncomingEvent {
        let text = event.payload ?? ""
        switch event.topic {
        case "build.done":
            let needed = ["tests", "lint", "typecheck", "audit", "coverage"].map { "\($0): pass" }
            if needed.allSatisfy(text.contains), isSimple(text), text.contains("duplication: pass") {
                return event
            }
            return IncomingEvent(topic: "build.blocked", payload: "Missing backpressure evidence.")
        case "review.done" where !event.isOfWave:
            if text.contains("tests: pass"), text.contains("build: pass") { return event }
            return IncomingEvent(topic: "review.blocked", payload: "Missing verification evidence.")
        default: return event
        }
    }

    private static func isSimple(_ text: String) -> Bool {
        let segments = text.split { $0 == "," || $0 == "\n" }
        let complexity = segments.compactMap { segment -> Double? in
            let parts = segment.split(separator: ":")
            guard parts.count == 2, parts[0].hasSuffix("complexity") else { return nil }
            return Double(parts[1].filter { $0 != " " })
        }
        return complexity.first.map { $0 <= 10 } ?? false
    }
}
