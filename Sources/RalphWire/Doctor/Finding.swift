/// One thing that an examination of a server found: a line that says how it is, and what to do where it is not
/// as it should be.
public struct Finding: Sendable, Codable, Equatable {
    /// How bad it is.
    public enum Level: String, Sendable, Codable, Comparable, CaseIterable {
        case ok, warn, fail

        public static func < (one: Level, other: Level) -> Bool { one.rank < other.rank }

        private var rank: Int {
            switch self {
            case .ok: 0
            case .warn: 1
            case .fail: 2
            }
        }
    }

    /// Characters of a text at most; what others send is cut there.
    public static let maximumCharacters = 500
    /// Bytes of a secret at least: what is shorter is no secret, and stands in words by chance.
    public static let shortestSecret = 8

    public let level: Level
    /// What was looked at, in a word or two.
    public let subject: String
    /// What is there.
    public let found: String
    /// What to do; `nil` where nothing has to be done.
    public let advice: String?

    /// Nothing has to be done.
    public static func ok(_ subject: String, _ found: String) -> Finding {
        Finding(level: .ok, subject: subject, found: found, advice: nil)
    }

    /// It works, but not as well or as safely as it could.
    public static func warn(_ subject: String, _ found: String, _ advice: String) -> Finding {
        Finding(level: .warn, subject: subject, found: found, advice: advice)
    }

    /// It does not work, or must not be left so.
    public static func fail(_ subject: String, _ found: String, _ advice: String) -> Finding {
        Finding(level: .fail, subject: subject, found: found, advice: advice)
    }

    /// Makes every text printable: a terminal does nothing but show it.
    public init(level: Level, subject: String, found: String, advice: String?) {
        self.level = level
        self.subject = Self.printable(subject)
        self.found = Self.printable(found)
        self.advice = advice.map(Self.printable)
    }

    /// Two columns and what was found; what to do in a line of its own below.
    public var text: String {
        let word = level.rawValue + String(repeating: " ", count: 4 - level.rawValue.count)
        let gap = String(repeating: " ", count: max(1, 14 - subject.count))
        return "\(word)  \(subject)\(gap)\(found)" + (advice.map { "\n        \($0)" } ?? "")
    }

    /// The finding with `secret` taken out, wherever somebody may have put it.
    public func hiding(_ secret: String) -> Finding {
        guard secret.utf8.count >= Self.shortestSecret else { return self }
        func hidden(_ text: String) -> String {
            text.split(separator: secret, omittingEmptySubsequences: false).joined(separator: "[key]")
        }
        return Finding(
            level: level, subject: subject, found: hidden(found), advice: advice.map(hidden))
    }

    /// `text` with everything escaped that a terminal could obey or a reader could be misled by (controls,
    /// marks of writing direction, line separators), cut at ``maximumCharacters``.
    public static func printable(_ text: String) -> String {
        var result = ""
        for (index, scalar) in text.unicodeScalars.enumerated() {
            guard index < maximumCharacters else { return result + "…" }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                result += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
