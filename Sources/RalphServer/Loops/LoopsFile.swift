import RalphSessions
import RalphWire

/// What `loops.json` of a workspace says (contract 5.3).
enum LoopsFile: Sendable {
    /// Nothing without a file.
    case records([LockRecord])
    /// It has no list, as for a moment while Ralph rewrites it in place. `nil`: it is empty, and holds no loops if it
    /// stays so.
    case unfinished(Problem?)
    /// It is there and cannot be read.
    case unreadable(Problem)

    /// Reads the file of the workspace of `directory`.
    ///
    /// - Parameter find: looks for a small file at a path that leads through no link.
    static func read(
        _ directory: SessionDirectory, _ find: (_ path: String) -> BoundedFile.Finding = Self.find
    ) -> LoopsFile {
        let path = directory.loopsFile
        switch find(path) {
        case .content(let bytes):
            if let records = LockRecord.parse(loops: bytes) { return .records(records) }
            if SessionDirectory.trimmed(String(decoding: bytes, as: UTF8.self)).isEmpty {
                return .unfinished(nil)
            }
            return .unfinished(problem("it has no list of loops", path))
        case .none where DirectPath.status(of: path) == nil: return .records([])
        case .none:
            let limit = LockRecord.maximumFileBytes >> 20
            return .unreadable(problem("it is no regular file, or has more than \(limit) MiB", path))
        case .unreadable(let reason): return .unreadable(problem(reason.description, path))
        }
    }

    @Sendable static func find(_ path: String) -> BoundedFile.Finding {
        BoundedFile.find(path, maximumBytes: LockRecord.maximumFileBytes, isDirect: true)
    }

    private static func problem(_ why: String, _ path: String) -> Problem {
        Problem(status: 500, error: "file_unreadable: \(why)", code: .internalError, details: path)
    }
}
