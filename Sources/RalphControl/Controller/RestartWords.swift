/// The words with which a text makes Ralph end itself and run a developer's command (contract 4.3).
package enum RestartWords {
    /// Why a text with them is refused, for a person.
    package static let reason =
        "a text with the words “restart ralph” or “restart yourself” would make the run end itself"

    private static let phrases = ["restart ralph", "restart yourself"]

    /// Whether `text` holds them, in any case, wherever.
    ///
    /// For texts of `human.response` and `user.prompt`; Ralph looks at no others.
    package static func isFound(in text: String) -> Bool {
        // By bytes, as Ralph looks: a combining character behind the words must not hide them.
        let text = text.lowercased().utf8
        return phrases.contains { text.contains($0.utf8) }
    }
}
