/// The place of an event's text where the words were found, as plain text, and where exactly they are.
package struct SearchSnippet: Sendable, Equatable {
    /// Characters (Unicode scalars) of a snippet at most.
    package static let maximumScalars = 320
    /// How many of them stand before the first match where a longer text is cut.
    private static let lead = 80

    package let text: String
    /// The matches in the order of their places, as offsets in UTF-16 code units of ``text``.
    package let highlights: [Range<Int>]

    /// Reads a prepared text with ``SearchText/opening`` and ``SearchText/closing`` around each match.
    init(marked bytes: some Collection<UInt8>) {
        var scalars: [Unicode.Scalar] = []
        var ranges: [Range<Int>] = []
        var start: Int?
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar.value {
            case UInt32(SearchText.separator): continue
            case UInt32(SearchText.opening): start = scalars.count
            case UInt32(SearchText.closing):
                if let lower = start, lower < scalars.count { ranges.append(lower..<scalars.count) }
                start = nil
            default: scalars.append(scalar)
            }
        }
        self.init(scalars, ranges)
    }

    /// Marks what of `terms` (prepared) stands in `bytes` (prepared), whichever case ASCII letters have.
    init(of bytes: [UInt8], terms: [[UInt8]]) {
        var marked: [UInt8] = []
        let folded = bytes.map(Self.fold)
        let patterns = terms.map { $0.map(Self.fold) }.filter { !$0.isEmpty }
        var index = 0
        while index < bytes.count {
            if let match = patterns.first(where: { folded[index...].starts(with: $0) }) {
                marked.append(SearchText.opening)
                marked += bytes[index..<index + match.count]
                marked.append(SearchText.closing)
                index += match.count
            } else {
                marked.append(bytes[index])
                index += 1
            }
        }
        self.init(marked: marked)
    }

    /// Cuts what is too long and counts in UTF-16.
    private init(_ scalars: [Unicode.Scalar], _ ranges: [Range<Int>]) {
        var window = 0..<scalars.count
        if window.count > Self.maximumScalars {
            let latest = scalars.count - Self.maximumScalars
            let start = min(latest, max(0, (ranges.first?.lowerBound ?? 0) - Self.lead))
            window = start..<start + Self.maximumScalars
        }
        var text = String.UnicodeScalarView()
        var offsets: [Int] = []
        var offset = 0
        if window.lowerBound > 0 {
            text.append("…")
            offset += 1
        }
        for scalar in scalars[window] {
            offsets.append(offset)
            offset += UTF16.width(scalar)
            text.append(scalar)
        }
        offsets.append(offset)
        if window.upperBound < scalars.count { text.append("…") }
        self.text = String(text)
        highlights = ranges.map { $0.clamped(to: window) }.filter { !$0.isEmpty }.map {
            offsets[$0.lowerBound - window.lowerBound]..<offsets[$0.upperBound - window.lowerBound]
        }
    }

    private static func fold(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
