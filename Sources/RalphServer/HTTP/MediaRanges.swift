/// What a request's `Accept` says (RFC 9110, 12.5.1): `type/subtype;parameters;q=weight`, separated by commas.
///
/// Parameters other than the weight are passed over. What is no range by the grammar counts as not sent.
struct MediaRanges: Sendable, Equatable {
    /// One range and its weight.
    struct Range: Sendable, Equatable {
        /// In lower case; `*` for any.
        let type: String
        /// In lower case; `*` for any.
        let subtype: String
        /// 0 … 1000.
        let weight: Int
    }

    /// Further ranges are not looked at.
    static let maximumCount = 64

    private(set) var ranges: [Range] = []

    /// - Parameter fields: the values of all `Accept` fields, in their order.
    init(_ fields: [String]) {
        for field in fields {
            for item in Self.split(field, at: ",") where ranges.count < Self.maximumCount {
                if let range = Self.range(item) { ranges.append(range) }
            }
        }
    }

    /// The weight of `type`/`subtype`, by the most specific range that fits; 0: not wanted.
    func weight(_ type: String, _ subtype: String) -> Int {
        named(type, subtype) ?? ranges.last { $0.type == type && $0.subtype == "*" }?.weight
            ?? ranges.last { $0.type == "*" && $0.subtype == "*" }?.weight ?? 0
    }

    /// Whether errors are to be problem documents (RFC 9457): only for those who name the type and do not
    /// like plain JSON better.
    var prefersProblemDocuments: Bool {
        guard let weight = named("application", "problem+json"), weight > 0 else { return false }
        return weight >= self.weight("application", "json")
    }

    /// Whether a page of JSON is to be given where a stream of events is to be had: only to those who name JSON,
    /// and neither name the stream as high nor like anything better.
    var prefersPages: Bool {
        guard let page = named("application", "json"), page > 0 else { return false }
        if let stream = named("text", "event-stream") { return page > stream }
        return page >= weight("text", "event-stream")
    }

    /// Whether plain text is to be given where a report in JSON is to be had: only to those who name plain text, and
    /// neither name JSON as high nor like anything of it better (http-contract 2).
    var prefersPlainText: Bool {
        guard let text = named("text", "plain"), text > 0 else { return false }
        if let report = named("application", "json") { return text > report }
        return text >= weight("application", "json")
    }

    /// Whether a report in JSON is to be given where plain text is to be had: only to those who name JSON and do not
    /// like plain text better, or who like JSON better without naming it.
    var prefersReports: Bool {
        let text = weight("text", "plain")
        if let report = named("application", "json") { return report > 0 && report >= text }
        return weight("application", "json") > text
    }

    /// The weight of a range that names exactly this.
    private func named(_ type: String, _ subtype: String) -> Int? {
        ranges.last { $0.type == type && $0.subtype == subtype }?.weight
    }

    private static func range(_ item: Substring) -> Range? {
        let parts = split(item, at: ";").map(trimmed)
        let names = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        guard names.count == 2, names.allSatisfy(isToken), names[0] != "*" || names[1] == "*" else {
            return nil
        }
        var weight = 1000
        for parameter in parts.dropFirst() where parameter.lowercased().hasPrefix("q=") {
            guard let value = thousandths(parameter.dropFirst(2)) else { return nil }
            weight = value
        }
        return Range(type: names[0].lowercased(), subtype: names[1].lowercased(), weight: weight)
    }

    /// `0`, `1`, and up to three digits behind a point.
    private static func thousandths(_ text: Substring) -> Int? {
        let digits = text.utf8
        guard let first = digits.first, first == UInt8(ascii: "0") || first == UInt8(ascii: "1"),
            digits.count <= 5
        else { return nil }
        let rest = digits.dropFirst()
        guard rest.isEmpty || rest.first == UInt8(ascii: ".") else { return nil }
        let fraction = rest.dropFirst()
        guard fraction.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        var value = first == UInt8(ascii: "1") ? 1000 : 0
        for (place, digit) in zip([100, 10, 1], fraction) { value += Int(digit - 0x30) * place }
        return value <= 1000 ? value : nil
    }

    /// Splits outside of quoted strings.
    private static func split(_ text: some StringProtocol, at separator: Character) -> [Substring] {
        var parts: [Substring] = []
        var start = text.startIndex
        var isQuoted = false
        var isEscaped = false
        for index in text.indices {
            let character = text[index]
            if isQuoted {
                if isEscaped {
                    isEscaped = false
                } else if character == "\\" {
                    isEscaped = true
                } else if character == "\"" {
                    isQuoted = false
                }
            } else if character == "\"" {
                isQuoted = true
            } else if character == separator {
                parts.append(Substring(text[start..<index]))
                start = text.index(after: index)
            }
        }
        return parts + [Substring(text[start...])]
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop { $0 == " " || $0 == "\t" }
        guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return start[...last]
    }

    private static func isToken(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }
}
