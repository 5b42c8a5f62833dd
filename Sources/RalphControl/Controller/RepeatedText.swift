/// Keeps words of a person that come again from ending the run: three equal events in a row do (contract 2.5).
///
/// A repeat is told apart by ` (repeated 2)`, ` (repeated 3)` … at its end. The suffix is to be seen: that
/// something was said again is news to the agent, and invisible characters in a prompt are not. Data that hats
/// may parse is never changed; its third repeat is refused instead.
enum RepeatedText {
    /// Ralph ends a run at this many equal events in a row.
    static let fatalCount = 3
    /// Ralph does not count these.
    static let exempt: Set = ["task.complete"]

    /// `text` as the one after `count` equal ones.
    static func numbered(_ text: String, after count: Int) -> String {
        guard count > 0 else { return text }
        return text.isEmpty ? "(repeated \(count + 1))" : "\(text) (repeated \(count + 1))"
    }

    /// Whether `payload` is `text`, or `text` as a repeat.
    static func isRepeat(_ payload: String?, of text: String) -> Bool {
        let payload = payload ?? ""
        if payload == text { return true }
        let opening = text.isEmpty ? "(repeated " : text + " (repeated "
        guard payload.hasPrefix(opening), payload.hasSuffix(")") else { return false }
        let number = payload.dropFirst(opening.count).dropLast()
        return !number.isEmpty && number.allSatisfy { $0.isASCII && $0.isNumber }
    }

    /// Whether rows of `topic` are words of a person that may be numbered.
    static func isWords(_ topic: String) -> Bool { topic == "human.guidance" || topic.hasPrefix("user.") }
}
