/// The version that a program tells of itself.
struct ProgramVersion: Sendable, Equatable, Comparable, CustomStringConvertible {
    let major: Int
    let minor: Int
    var patch = 0

    init(major: Int, minor: Int, patch: Int = 0) {
        self.major = major
        self.minor = minor
        self.patch = patch
    }

    /// The first word of `text` that is two or three numbers with dots in between, a `v` before them or not.
    init?(in text: String) {
        for word in text.split(whereSeparator: \.isWhitespace) {
            let bare = word.drop { $0 == "v" }.prefix { $0.isNumber || $0 == "." }
            let numbers = bare.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
            guard numbers.count >= 2, let major = numbers[0], let minor = numbers[1] else { continue }
            self.init(major: major, minor: minor, patch: numbers.count > 2 ? numbers[2] ?? 0 : 0)
            return
        }
        return nil
    }

    static func < (one: Self, other: Self) -> Bool {
        (one.major, one.minor, one.patch) < (other.major, other.minor, other.patch)
    }

    var description: String { patch == 0 ? "\(major).\(minor)" : "\(major).\(minor).\(patch)" }
}
