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

    /// Further ranges, well formed or not, count as not sent.
    static let maximumCount = 64
    /// What does not end within so many bytes of all fields together, one for the comma between two, counts as not sent:
    /// a field of four kilobytes is one byte to who asks again over HTTP/2.
    static let maximumBytes = 2048

    private(set) var ranges: [Range] = []

    /// - Parameter fields: the values of all `Accept` fields, in their order.
    init(_ fields: [String]) {
        var (bytesLeft, itemsLeft) = (Self.maximumBytes, Self.maximumCount)
        for field in fields {
            guard bytesLeft > 0, itemsLeft > 0 else { return }
            let isCut = field.utf8.count > bytesLeft
            let bytes = Array(field.utf8.prefix(bytesLeft))
            bytesLeft -= bytes.count + 1
            var rest: ArraySlice<UInt8>? = bytes[...]
            while itemsLeft > 0, let item = Self.next(&rest, before: UInt8(ascii: ",")) {
                guard !item.isEmpty, rest != nil || !isCut else { continue }
                itemsLeft -= 1
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

    private static func range(_ item: ArraySlice<UInt8>) -> Range? {
        var rest: ArraySlice<UInt8>? = item
        let name = next(&rest, before: UInt8(ascii: ";")).map(HeadRules.trimmed) ?? []
        guard let slash = name.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        let (type, subtype) = (name[..<slash], name[(slash + 1)...])
        guard HeadRules.isToken(type), HeadRules.isToken(subtype), !isAny(type) || isAny(subtype) else {
            return nil
        }
        var weight = 1000
        while let parameter = next(&rest, before: UInt8(ascii: ";")).map(HeadRules.trimmed) {
            guard parameter.starts(with: "q=".utf8) || parameter.starts(with: "Q=".utf8) else { continue }
            guard let value = thousandths(parameter.dropFirst(2)) else { return nil }
            weight = value
        }
        return Range(type: lowercased(type), subtype: lowercased(subtype), weight: weight)
    }

    /// `0`, `1`, and up to three digits behind a point.
    private static func thousandths(_ digits: ArraySlice<UInt8>) -> Int? {
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

    /// Takes what is in front of the next separator outside of quoted strings off `rest`, and the separator with it; all,
    /// where there is none.
    private static func next(_ rest: inout ArraySlice<UInt8>?, before separator: UInt8) -> ArraySlice<UInt8>?
    {
        guard let bytes = rest else { return nil }
        var isQuoted = false
        var isEscaped = false
        for index in bytes.indices {
            let byte = bytes[index]
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if isQuoted {
                isEscaped = byte == UInt8(ascii: "\\")
            } else if byte == separator {
                rest = bytes[(index + 1)...]
                return bytes[..<index]
            }
        }
        rest = nil
        return bytes
    }

    private static func isAny(_ name: ArraySlice<UInt8>) -> Bool { name.elementsEqual("*".utf8) }

    private static func lowercased(_ name: ArraySlice<UInt8>) -> String {
        String(decoding: name, as: UTF8.self).lowercased()
    }
}
