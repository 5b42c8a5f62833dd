import RalphSessions

/// What the list says of one prompt.
struct PromptFacts: Sendable, Equatable {
    var preview = ""
    var error: YAMLProblem?

    /// - Parameter isCut: whether `bytes` are only the beginning of the file.
    init(_ bytes: [UInt8], isCut: Bool) {
        if let text = LibraryText.decode(bytes, isCut: isCut) {
            preview = LibraryText.preview(text)
        } else {
            error = .notText
        }
    }
}
