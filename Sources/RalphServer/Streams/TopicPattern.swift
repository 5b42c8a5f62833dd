import RalphSessions

/// A glob over topics: `*` stands for any text, `?` for one byte; without either it is the topic itself.
///
/// All ways in which the glob can cover a topic are followed at once, one bit each, so that one byte of a topic costs the same
/// whatever stands in the glob: who chooses both must not hold up an event loop.
package struct TopicPattern: Sendable, Equatable {
    /// A set of places in the glob: place `n` is reached when its first `n` signs, stars left out, cover what was read.
    private typealias Places = SIMD4<UInt64>

    /// Of a longer topic only so many bytes are looked at: whoever writes a file sets the length of its words.
    private static let maximumTopicBytes = 256

    /// For each byte where in ``leaving`` its places are; 0: the glob does not name it.
    private let index: [UInt8]
    /// The places that a byte leads on from; first of bytes that the glob does not name.
    private let leaving: [Places]
    /// The places before a star, where any byte leads back to.
    private let stars: Places
    /// The place at the end.
    private let end: Places

    /// UTF-8 bytes of a glob.
    static let lengths = 1...200

    /// `nil` for an empty text or one that is too long.
    package init?(_ text: String) {
        guard Self.lengths.contains(text.utf8.count) else { return nil }
        var index = [UInt8](repeating: 0, count: 256)
        var leaving: [Places] = [.zero]
        var (stars, end): (Places, Places) = (.zero, [1, 0, 0, 0])
        for byte in text.utf8 {
            if byte == UInt8(ascii: "*") {
                stars |= end
                continue
            }
            if byte == UInt8(ascii: "?") {
                for known in leaving.indices { leaving[known] |= end }
            } else {
                if index[Int(byte)] == 0 {
                    index[Int(byte)] = UInt8(leaving.count)
                    leaving.append(leaving[0])
                }
                leaving[Int(index[Int(byte)])] |= end
            }
            end = Self.next(end)
        }
        (self.index, self.leaving, self.stars, self.end) = (index, leaving, stars, end)
    }

    /// Whether the pattern covers all of `topic`, or of its first 256 bytes.
    package func matches(_ topic: ArraySlice<UInt8>) -> Bool {
        var places: Places = [1, 0, 0, 0]
        for byte in topic.prefix(Self.maximumTopicBytes) {
            places = Self.next(places & leaving[Int(index[Int(byte)])]) | (places & stars)
            if places == .zero { return false }
        }
        return places & end != .zero
    }

    /// The places behind `places`.
    private static func next(_ places: Places) -> Places {
        let carried = places &>> 63
        return (places &<< 1) | [0, carried[0], carried[1], carried[2]]
    }
}

extension [TopicPattern] {
    /// Whether one of them covers the topic that stands JSON-escaped in an event; none cover everything.
    func cover(escaped topic: @autoclosure () -> ArraySlice<UInt8>) -> Bool {
        guard !isEmpty else { return true }
        let topic = EscapedText.resolved(topic())
        return contains { $0.matches(topic) }
    }
}
