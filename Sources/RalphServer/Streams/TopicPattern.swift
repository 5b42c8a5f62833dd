/// A glob over topics: `*` stands for any text, `?` for one byte; without either it is the topic itself.
package struct TopicPattern: Sendable, Equatable {
    private let glob: [UInt8]
    /// Of a longer topic only so many bytes are looked at: whoever writes a file sets the length of its words.
    private static let maximumTopicBytes = 1024

    /// `nil` for an empty text or one over 200 bytes.
    package init?(_ text: String) {
        guard (1...200).contains(text.utf8.count) else { return nil }
        glob = Array(text.utf8)
    }

    /// Whether the pattern covers all of `topic`, or of its first KiB. Time is bounded by both lengths multiplied.
    package func matches(_ whole: ArraySlice<UInt8>) -> Bool {
        let topic = whole.prefix(Self.maximumTopicBytes)
        var pattern = 0
        var position = topic.startIndex
        var star: (pattern: Int, position: Int)?
        while position < topic.endIndex {
            if pattern < glob.count, glob[pattern] == UInt8(ascii: "*") {
                star = (pattern + 1, position)
                pattern += 1
            } else if pattern < glob.count,
                glob[pattern] == topic[position] || glob[pattern] == UInt8(ascii: "?")
            {
                pattern += 1
                position += 1
            } else if let back = star {
                star = (back.pattern, back.position + 1)
                pattern = back.pattern
                position = back.position + 1
            } else {
                return false
            }
        }
        return glob[pattern...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
