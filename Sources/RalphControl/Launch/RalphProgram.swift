import Foundation

/// The `ralph` that starts runs.
package enum RalphProgram {
    static let advice =
        "Install ralph-orchestrator 2.10 or later, or name its program with --ralph or RALPH_BIN."

    /// Looks at the program again, as it may have been installed or removed since the server started.
    ///
    /// - Throws: ``ControlError/ralphMissing(_:)`` with what to do.
    static func check(_ settings: ControlSettings) throws(ControlError) -> String {
        guard let path = settings.presentRalph else {
            throw .ralphMissing(
                "no \(settings.ralph ?? "ralph") was found on PATH. \(settings.programAdvice)")
        }
        if let problem = problem(with: path) {
            throw .ralphMissing("\(path) \(problem). \(settings.programAdvice)")
        }
        return path
    }

    /// Whether `path` is a text that another program runs (execve(2)), and so may stand before the real one.
    package static func isScript(_ path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        return (try? file.read(upToCount: 2)) == Data("#!".utf8)  // what cannot be read is none
    }

    /// Why `path` cannot be started; `nil`: it can.
    package static func problem(with path: String) -> String? {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            return "does not exist"
        }
        if isDirectory.boolValue { return "is a directory" }
        return access(path, X_OK) == 0 ? nil : "is not executable"
    }
}
