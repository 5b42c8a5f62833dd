import RalphWire

/// The target of a request, taken apart: a path without doubled slashes, and the query.
struct RequestPath: Sendable {
    /// Begins with `/`; still percent-encoded.
    let path: String
    /// As it was sent, with its doubled and last slashes.
    let raw: Substring
    let query: Substring?
    /// The path's segments, still percent-encoded.
    let segments: [Substring]

    init(_ target: String) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        raw = parts[0]
        segments = parts[0].split(separator: "/", omittingEmptySubsequences: true)
        path = "/" + segments.joined(separator: "/")
        query = parts.count > 1 ? parts[1] : nil
    }

    /// The target to route by.
    var target: String { query.map { path + "?" + $0 } ?? path }
}
