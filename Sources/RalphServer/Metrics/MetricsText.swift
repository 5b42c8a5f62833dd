/// Writes figures in the text exposition format, version 0.0.4 (prometheus.io, "Exposition formats").
///
/// Format: per family a line `# HELP name text` and a line `# TYPE name kind`, then its samples
/// `name{label="value",…} number`, one a line; a histogram has cumulative `_bucket` samples with the upper bound in
/// `le`, up to `+Inf`, and `_sum` and `_count`. In help texts `\` and line ends are escaped, in label values `"` too.
struct MetricsText {
    /// What a family is.
    enum Kind: String {
        case counter, gauge, histogram
    }

    /// A name and a value.
    typealias Label = (name: String, value: String)

    static let contentType = "text/plain; version=0.0.4; charset=utf-8"
    /// What every name begins with.
    static let prefix = "ralph_mobile_"

    private(set) var bytes: [UInt8] = []

    init() {}

    /// A family of one sample without labels.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        family(name, kind, help)
        sample(name, [], value)
    }

    /// A family of one sample without labels.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger) {
        family(name, kind, help)
        sample(name, [], value)
    }

    /// Begins a family; its samples must follow at once, and no other family may have its name.
    mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        line("# HELP \(Self.prefix)\(name) \(Self.escaped(help, quotes: false))")
        line("# TYPE \(Self.prefix)\(name) \(kind.rawValue)")
    }

    mutating func sample(_ name: String, _ labels: [Label], _ value: some BinaryInteger) {
        line("\(Self.prefix)\(name)\(Self.text(labels)) \(value)")
    }

    mutating func sample(_ name: String, _ labels: [Label], _ value: Double) {
        line("\(Self.prefix)\(name)\(Self.text(labels)) \(Self.text(value))")
    }

    /// The samples of one histogram, durations in seconds.
    mutating func histogram(_ name: String, _ labels: [Label], _ histogram: DurationHistogram) {
        var sum = 0
        for (index, count) in histogram.counts.enumerated() {
            sum += count
            let bound =
                index < DurationHistogram.bounds.count ? Self.text(DurationHistogram.bounds[index]) : "+Inf"
            sample("\(name)_bucket", labels + [("le", bound)], sum)
        }
        sample("\(name)_sum", labels, histogram.sum)
        sample("\(name)_count", labels, sum)
    }

    private mutating func line(_ text: String) {
        bytes += text.utf8
        bytes.append(0x0A)
    }

    private static func text(_ labels: [Label]) -> String {
        guard !labels.isEmpty else { return "" }
        return "{" + labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }.joined(separator: ",")
            + "}"
    }

    private static func text(_ value: Double) -> String {
        if value == .infinity { return "+Inf" }
        if value == -.infinity { return "-Inf" }
        return value.isNaN ? "NaN" : "\(value)"
    }

    static func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
