/// Reads the text exposition format, version 0.0.4, by its grammar and nothing more.
struct ExpositionReader {
    /// One family with its samples.
    struct Family {
        var help: String?
        var type: String?
        var samples: [Sample] = []
    }

    /// One line with a value.
    struct Sample {
        let name: String
        /// In the order of the text.
        let labels: [(name: String, value: String)]
        let value: Double

        subscript(label: String) -> String? { labels.first { $0.name == label }?.value }
    }

    /// What the grammar does not allow.
    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    private(set) var families: [String: Family] = [:]
    private var order: [String] = []

    init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Violation(description: "the last line has no end") }
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
            do { try read(String(line)) } catch { throw Violation(description: "\(error): \(line)") }
        }
    }

    private mutating func read(_ line: String) throws {
        if line.hasPrefix("# HELP ") || line.hasPrefix("# TYPE ") {
            let parts = line.split(separator: " ", maxSplits: 3)
            guard parts.count == 4, Self.isName(parts[2], colons: true) else {
                throw Violation(description: "comment")
            }
            try note(String(parts[1]), of: String(parts[2]), String(parts[3]))
        } else {
            let sample = try Self.sample(line)
            let family = order.last ?? ""
            let suffixes = families[family]?.type == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
            guard suffixes.contains(where: { family + $0 == sample.name }) else {
                throw Violation(description: "not of the family above it")
            }
            families[family]?.samples.append(sample)
        }
    }

    private mutating func note(_ keyword: String, of name: String, _ text: String) throws {
        var family = families[name] ?? Family()
        if keyword == "HELP" {
            guard family.help == nil, family.type == nil else {
                throw Violation(description: "second or late HELP")
            }
            family.help = text
            order.append(name)
        } else {
            guard family.type == nil, family.samples.isEmpty, order.last == name else {
                throw Violation(description: "second or late TYPE")
            }
            guard ["counter", "gauge", "histogram", "summary", "untyped"].contains(text) else {
                throw Violation(description: "type")
            }
            family.type = text
        }
        families[name] = family
    }

    /// `name{label="value",…} number`.
    private static func sample(_ line: String) throws -> Sample {
        var rest = Substring(line)
        let name = rest.prefix { $0 != "{" && $0 != " " }
        rest = rest.dropFirst(name.count)
        guard isName(name, colons: true) else { throw Violation(description: "name") }
        var labels: [(name: String, value: String)] = []
        if rest.first == "{" {
            rest = rest.dropFirst()
            while rest.first != "}" {
                labels.append(try label(&rest))
                if rest.first == "," { rest = rest.dropFirst() }
            }
            rest = rest.dropFirst()
        }
        guard rest.first == " ", let value = number(rest.dropFirst()) else {
            throw Violation(description: "value")
        }
        return Sample(name: String(name), labels: labels, value: value)
    }

    private static func label(_ rest: inout Substring) throws -> (name: String, value: String) {
        let name = rest.prefix { $0 != "=" }
        rest = rest.dropFirst(name.count)
        guard isName(name, colons: false), rest.hasPrefix("=\"") else {
            throw Violation(description: "label")
        }
        rest = rest.dropFirst(2)
        var value = ""
        while let character = rest.first, character != "\"" {
            rest = rest.dropFirst()
            guard character == "\\" else {
                value.append(character)
                continue
            }
            switch rest.first {
            case "\\": value.append("\\")
            case "\"": value.append("\"")
            case "n": value.append("\n")
            default: throw Violation(description: "escape")
            }
            rest = rest.dropFirst()
        }
        guard rest.first == "\"" else { throw Violation(description: "label without end") }
        rest = rest.dropFirst()
        return (String(name), value)
    }

    private static func number(_ text: Substring) -> Double? {
        switch text {
        case "+Inf": .infinity
        case "-Inf": -.infinity
        case "NaN": .nan
        default: text.utf8.allSatisfy { "+-.0123456789eE".utf8.contains($0) } ? Double(text) : nil
        }
    }

    private static func isName(_ text: Substring, colons: Bool) -> Bool {
        guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x5F
                || colons && byte == 0x3A
        }
    }
}
