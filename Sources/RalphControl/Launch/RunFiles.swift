import Foundation
import RalphSessions
import RalphWire

/// The directory of one run, `<runs>/<session>/<number>`: its configuration and its output, for its user only.
struct RunFiles {
    let path: String
    var config: String { path + "/" + SessionDirectory.configName }
    var prompt: String { path + "/prompt.md" }
    var output: String { path + "/stdout.jsonl" }
    var errors: String { path + "/stderr.log" }

    /// What the run said on stderr whose standard output is `output`.
    static func errors(beside output: String) -> String {
        RunFiles(path: (output as NSString).deletingLastPathComponent).errors
    }

    /// The standard output of the run that was given the configuration `config`.
    static func output(beside config: String) -> String {
        RunFiles(path: (config as NSString).deletingLastPathComponent).output
    }

    /// The configuration that was given to the run whose standard output is `output`.
    static func config(beside output: String) -> String {
        RunFiles(path: (output as NSString).deletingLastPathComponent).config
    }

    init(path: String) { self.path = path }

    /// Makes the next directory of `session`.
    init(runs: String, session: SessionID) throws(ControlError) {
        let parent = runs + "/" + session.rawValue
        try Self.makeDirectories(parent)
        var number = (Self.numbers(in: parent).max() ?? 0) + 1
        while mkdir("\(parent)/\(number)", 0o700) != 0 {
            guard errno == EEXIST, number < .max else {
                throw .unwritable(path: "\(parent)/\(number)", reason: Self.reason(errno))
            }
            number += 1
        }
        path = "\(parent)/\(number)"
    }

    /// Writes `text` as a new file of this directory.
    func write(_ text: String, to file: String) throws(ControlError) {
        let descriptor = try Self.create(file)
        defer { close(descriptor) }
        guard DirectoryHandle.writeAll(Array(text.utf8), to: descriptor) else {
            throw .unwritable(path: file, reason: Self.reason(errno))
        }
    }

    /// Opens `file` of this directory, which must not exist yet, for appending.
    ///
    /// - Returns: a descriptor above 2, closed on exec.
    static func create(_ file: String) throws(ControlError) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC
        let descriptor = open(file, flags, 0o600)
        guard descriptor >= 0 else { throw .unwritable(path: file, reason: reason(errno)) }
        guard let raised = raised(descriptor) else { throw .unwritable(path: file, reason: reason(errno)) }
        return raised
    }

    /// `descriptor`, or its copy above 2 if it is one of the standard ones; one that is none stays what it is, and
    /// `errno` with it.
    static func raised(_ descriptor: Int32) -> Int32? {
        guard (0..<3).contains(descriptor) else { return descriptor }
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        let code = errno
        close(descriptor)
        errno = code
        return copy < 0 ? nil : copy
    }

    static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

    /// Does a step of a start that uses this directory, and removes it with what is in it where that fails: nothing
    /// runs with it then.
    func keep<Value>(_ step: () throws(ControlError) -> Value) throws(ControlError) -> Value {
        do throws(ControlError) {
            return try step()
        } catch {
            // What cannot be removed now goes as one of the oldest.
            try? FileManager.default.removeItem(atPath: path)
            throw error
        }
    }

    /// The runs that are there.
    static func numbers(in parent: String) -> [Int] {
        // A directory that cannot be read makes the next mkdir fail, with the reason.
        ((try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []).compactMap { Int($0) }
            .filter { $0 > 0 }
    }

    private static func makeDirectories(_ path: String) throws(ControlError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .unwritable(path: path, reason: error.localizedDescription)
        }
    }
}
