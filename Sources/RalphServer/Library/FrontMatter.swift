/// A text with YAML between two lines of `---` before it, or without.
struct FrontMatter {
    /// `nil`: there is none.
    let yaml: Substring?
    /// What follows it, as it stands.
    let body: Substring

    init(_ text: String) {
        var (yaml, body): (Substring?, Substring) = (nil, text[...])
        if let first = Self.line(in: text, from: text.startIndex), Self.isMark(text[first.content]) {
            var start = first.next
            while let line = Self.line(in: text, from: start) {
                if Self.isMark(text[line.content]) {
                    yaml = text[first.next..<line.content.lowerBound]
                    body = text[line.next...]
                    break
                }
                start = line.next
            }
        }
        (self.yaml, self.body) = (yaml, body)
    }

    private static func isMark(_ line: Substring) -> Bool { LibraryText.trimmed(line) == "---" }

    /// The line that begins at `start`, and where the next one does; `nil` at the end of the text.
    private static func line(
        in text: String, from start: String.Index
    ) -> (content: Range<String.Index>, next: String.Index)? {
        guard start < text.endIndex else { return nil }
        let end = text[start...].firstIndex { $0 == "\n" || $0 == "\r\n" } ?? text.endIndex
        return (start..<end, end < text.endIndex ? text.index(after: end) : end)
    }
}
