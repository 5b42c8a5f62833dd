import RalphWire

/// What of a workspace's changes is asked for.
struct DiffQuery: Sendable {
    /// UTF-8 bytes of `path`; more is 400.
    static let maximumPathBytes = 4096

    /// A file or directory, relative to the workspace; `.` for all of it.
    let path: String
    let wantsPatch: Bool

    /// - Throws: ``Problem`` 400 for a path that leaves the workspace, and values that are none.
    init(_ query: String?) throws(Problem) {
        let items = try QueryItems(query)
        wantsPatch = try items.flag("patch") ?? false
        guard let path = items["path"] else {
            self.path = "."
            return
        }
        // By bytes, as the system takes it apart: an accent on a slash makes another character of it, not another path.
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard !path.isEmpty, path.utf8.count <= Self.maximumPathBytes, path.utf8.first != UInt8(ascii: "/"),
            !path.utf8.contains(0), !parts.contains(".."), parts.first != ".git"
        else {
            throw .invalidRequest(
                "path must be relative to the workspace and inside it, at most \(Self.maximumPathBytes) bytes"
            )
        }
        self.path = path
    }
}
