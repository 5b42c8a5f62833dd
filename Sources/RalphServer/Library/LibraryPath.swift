import RalphWire

/// The path of an item as a request names it: decoded once, checked, and cut at its slashes
/// (http-contract 5, path rules).
struct LibraryPath: Sendable, Equatable {
    let text: String
    /// No `..`, `.` or empty one among them.
    let components: [Substring]

    /// - Parameters:
    ///   - raw: the path of a request as it was sent, whose first two segments are `api` and a list's name.
    ///   - missing: what a path that can be no file's gives.
    /// - Throws: ``Problem`` 400 `invalid_path` for an empty path, or one that leads elsewhere.
    init(raw: Substring, missing: (String) -> Problem) throws(Problem) {
        let encoded = Self.rest(of: raw, afterSegments: 2)
        guard let encoded, !encoded.isEmpty else { throw .emptyPath }
        guard let text = PercentEncoding.decode(encoded), text.utf8.first != UInt8(ascii: "/"),
            !text.utf8.contains(UInt8(ascii: "\\"))
        else {
            throw .pathTraversal
        }
        // A slash with an accent behind it is one character, and two bytes of a path to the system.
        let components = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { Substring($0) }
        guard !components.contains("..") else { throw .pathTraversal }
        guard !components.contains(""), !components.contains(".") else { throw missing(text) }
        self.text = text
        self.components = components
    }

    /// Whether a list is asked for with a slash at its end, which is the empty path of an item.
    static func isEmptyItem(raw: Substring) -> Bool { raw.utf8.last == UInt8(ascii: "/") }

    /// What follows the slash behind the first `count` segments; `nil`: there is no such slash.
    private static func rest(of raw: Substring, afterSegments count: Int) -> Substring? {
        var rest = raw.utf8[...]
        for _ in 0..<count {
            rest = rest.drop { $0 == UInt8(ascii: "/") }
            rest = rest.drop { $0 != UInt8(ascii: "/") }
        }
        return rest.isEmpty ? nil : Substring(rest.dropFirst())
    }
}
