import RalphWire

/// What can be wrong with a request about the library (http-contract 5).
extension Problem {
    static let pathTraversal = Problem.invalidPath("path traversal not allowed")
    static let emptyPath = Problem.invalidPath("path cannot be empty")

    static func configNotFound(_ path: String) -> Problem { .notFound("config_not_found", path) }
    static func promptNotFound(_ path: String) -> Problem { .notFound("prompt_not_found", path) }

    static func skillNotFound(_ name: String) -> Problem {
        Problem(status: 404, error: "Skill '\(oneLine(name))' not found", code: .notFound)
    }

    static func contentTooLarge(_ path: String) -> Problem {
        Problem(
            status: 413, error: "content_too_large: \(oneLine(path))", code: .tooLarge,
            details: "Files of at most \(LibraryLimits.contentBytes) bytes are shown.")
    }
}
