/// `<event topic="…">…</event>` in an agent's text.
struct EventTag {
    /// As the tag has it.
    let topic: String
    /// The text between the tags.
    let payload: String

    /// All tags of `text`, in their order.
    static func all(in text: String) -> [EventTag] {
        text.matches(of: /<event\s+topic="([^"]*)"[^>]*>((?s).*?)<\/event>/).map {
            EventTag(topic: String($0.1), payload: String($0.2))
        }
    }
}
