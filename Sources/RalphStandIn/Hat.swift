/// A persona that takes over when one of its topics appears (contract 7.2).
struct Hat {
    /// The key in the configuration.
    let id: String
    /// For people.
    let name: String
    /// Topics that it takes, with wildcards.
    let triggers: [String]
    /// Topics that it may say.
    let publishes: [String]
    /// What is published for it where it says nothing.
    let defaultPublishes: String?
    /// What the agent is told to be.
    let instructions: String

    /// Whether it takes `topic`.
    func isTriggered(by topic: String) -> Bool { triggers.contains { TopicPattern($0).matches(topic) } }
}
