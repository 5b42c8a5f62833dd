import RalphSessions

/// What the list says of one prompt.
struct PromptFacts: Sendable, Equatable {
    var preview = ""
    var error: YAMLProblem?

    /// - Parameter isCut: whether `bytes` are only the beginning of the file.
    init(_ bytes: [UInt8], isCut: Bool) {
        guard let text = LibraryText.decode(bytes, isCut: isCut) else {
            error = .notText
            return
        }
        preview = LibraryText.preview(text)
        // A run would end with it.
        if bytes.contains(0) { error = YAMLProblem("holds a NUL") }
    }
}
