/// A persona that takes over when one of its topics appears (contract 7.2).
struct Hat {
    let id: String
    let name: String
    let triggers: [String]
    let publishes: [String]
    let instructions: String

    func isTriggered(by topic: String) -> Bool { triggers.contains { TopicPattern($0).matches(topic) } }
}
