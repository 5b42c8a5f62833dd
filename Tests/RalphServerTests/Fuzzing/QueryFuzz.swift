import Foundation
import RalphFeed
import RalphWire

@testable import RalphServer

/// The target of a request: path, query, and the cursor that a header may name.
///
/// Input: a request's target, its `Last-Event-ID`, its `Accept`, a topic.
enum QueryFuzz {
    private static let now: Int64 = 1_795_300_000_000

    static func run(_ input: FuzzInput) throws(FuzzFinding) {
        var input = input
        let target = input.text()
        let lastEventID = input.text()
        let accept = input.text()
        let topic = Array(input.rest)
        let path = RequestPath(target)
        try promise(path.path.utf8.first == UInt8(ascii: "/"), "a path: \(path.path)")
        try promise(!path.segments.contains(where: \.isEmpty), "segments: \(path.segments)")
        for segment in path.segments { try checkDecoding(segment) }
        try checkItems(path.query, lastEventID: lastEventID, topic: topic[...])
        try checkOthers(path.query.map(String.init))
        for weight in MediaRanges([accept]).ranges.map(\.weight) {
            try promise((0...1000).contains(weight), "weight \(weight) in \(accept)")
        }
    }

    /// By scalars: a plus sign with an accent is another character, and yet a plus sign.
    private static func spaced(_ text: Substring) -> String {
        var result = ""
        for scalar in text.unicodeScalars { result.unicodeScalars.append(scalar == "+" ? " " : scalar) }
        return result
    }

    /// Text that we decode is what Foundation makes of it.
    private static func checkDecoding(_ text: Substring, plusIsSpace: Bool = false) throws(FuzzFinding) {
        let plain = plusIsSpace ? spaced(text) : String(text)
        // What is no UTF-8 Foundation mends on some systems, and we refuse.
        let isMended = { (result: String) in
            let marks = { (text: String) in text.unicodeScalars.count { $0 == "\u{FFFD}" } }
            return marks(result) > marks(plain) && !plain.lowercased().contains("%ef%bf%bd")
        }
        let expected = plain.removingPercentEncoding.flatMap {
            $0.utf8.contains(0) || isMended($0) ? nil : $0
        }
        let decoded = PercentEncoding.decode(text, plusIsSpace: plusIsSpace)
        try promise(
            decoded.map { Array($0.utf8) } == expected.map { Array($0.utf8) },
            "\(text) decodes to \(expected ?? "nothing"), not \(decoded ?? "nothing")")
    }

    private static func checkItems(
        _ query: Substring?, lastEventID: String, topic: ArraySlice<UInt8>
    ) throws(FuzzFinding) {
        // A query that cannot be read is refused as such.
        guard let items = try? QueryItems(query) else { return }
        for part in (query ?? "").split(separator: "&") {
            for half in part.split(separator: "=", maxSplits: 1) {
                try checkDecoding(half, plusIsSpace: true)
            }
        }
        for source in [StreamOptions.Source.all, .session(SessionID(digestPrefix: 1))] {
            // Values that are none are refused.
            guard
                let options = try? StreamOptions(
                    source: source, form: .serverSentEvents, query: items, lastEventID: lastEventID, now: now)
            else { return }
            switch options.start {
            case .after(let seq, _), .behind(_, let seq, _):
                try promise(seq >= 0, "cursor \(seq)")
            case .newest(let count): try promise(count >= 0, "newest \(count)")
            case .since(let time): try promise(abs(time) < 1 << 53, "since \(time)")
            case .beginning, .elsewhere, .unspecified: break
            }
            try promise(options.topics.count <= QueryItems.maximumTopics, "topics")
        }
        for glob in items.all("topic") {
            guard let pattern = TopicPattern(glob) else { continue }
            let expected = isMatch(Array(glob.utf8), Array(topic.prefix(256)))
            try promise(pattern.matches(topic) == expected, "\(glob) and \(topic)")
        }
    }

    /// Queries of other routes; none of them traps.
    private static func checkOthers(_ query: String?) throws(FuzzFinding) {
        if let query = try? DiffQuery(query) {
            let parts = query.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            let isInside = parts[0].first != nil && !parts.contains { $0.elementsEqual("..".utf8) }
            try promise(isInside, "path \(query.path)")
        }
        if let query = try? HistoryQuery(query, of: SessionID(digestPrefix: 1), in: "0123abcd") {
            try promise(HistoryReader.limits.contains(query.limit), "limit \(query.limit)")
        }
        if let query = try? ExportQuery(query) { try promise(query.after >= 0, "after \(query.after)") }
        if let query = try? StatsQuery(query, now: now) {
            try promise(query.days.count <= StatsQuery.maximumDays + 1, "days \(query.days)")
        }
        // A text that is no search is refused as such.
        _ = try? SearchQuery(query ?? "")
    }

    /// Whether `glob` covers `text`, by a table of all pairs of their beginnings.
    private static func isMatch(_ glob: [UInt8], _ text: [UInt8]) -> Bool {
        var covered = [true] + [Bool](repeating: false, count: text.count)
        for sign in glob {
            var next = [sign == UInt8(ascii: "*") && covered[0]]
            for (index, byte) in text.enumerated() {
                next.append(
                    sign == UInt8(ascii: "*")
                        ? covered[index + 1] || next[index]
                        : covered[index] && (sign == byte || sign == UInt8(ascii: "?")))
            }
            covered = next
        }
        return covered[text.count]
    }
}
