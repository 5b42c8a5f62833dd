import Foundation
import RalphSessions

/// What `server.json` says of the server that runs on a state directory; see ``RunningRecord``.
package struct RunningContents: Sendable, Codable {
    package let pid: Int32
    /// What it is bound to: an address, or all addresses (`0.0.0.0`, `::`).
    package let host: String
    package let port: Int
    /// SHA-256 of the certificate, in hexadecimal; `nil`: plain HTTP.
    package let tls_fingerprint: String?
    /// Counts on connections from this machine.
    package let key: String
    package let version: String

    /// Bytes of the record at most.
    private static let maximumBytes = 16 << 10

    /// Reads the record of the server that uses `stateDirectory`.
    ///
    /// - Returns: `nil` if no server runs there: there is no record, or its process is gone.
    /// - Throws: ``ConfigurationProblem`` for a record that cannot be read.
    package static func read(stateDirectory: String) throws(ConfigurationProblem) -> RunningContents? {
        let path = stateDirectory + "/server.json"
        guard let status = EntryStatus(at: path) else {
            let code = SystemCode(errno)
            if code.isAbsence { return nil }
            throw ConfigurationProblem("\(path) cannot be read: \(code.description).")
        }
        guard status.owner == geteuid() else {
            throw ConfigurationProblem(
                "\(path) belongs to user number \(status.owner); run this as that user.")
        }
        do {
            guard let contents = try decode(path) else {
                throw ConfigurationProblem("\(path) is not a file of yours alone; take it away.")
            }
            return contents.isAlive ? contents : nil
        } catch let problem as ConfigurationProblem {
            throw problem
        } catch {
            throw ConfigurationProblem("\(path) cannot be read: \(SystemReason.sentence(error))")
        }
    }

    /// `nil` for what is no file, too long, or not its owner's alone.
    static func decode(_ path: String) throws -> RunningContents? {
        guard let status = EntryStatus(at: path), status.kind == .file, status.isPrivate,
            status.owner == geteuid(), let bytes = BoundedFile.read(path, maximumBytes: maximumBytes)
        else { return nil }
        return try JSONDecoder().decode(RunningContents.self, from: Data(bytes))
    }

    /// The address at which this machine reaches it.
    package var reachableHost: String {
        switch host {
        case "0.0.0.0", "::ffff:0.0.0.0", "localhost": "127.0.0.1"
        case "::": "::1"
        default: host
        }
    }

    /// Whether there is such a process of this user, whose record it is; one of another user is somebody else, and
    /// one that has ended and was not reaped is none (proc(5)).
    private var isAlive: Bool {
        guard pid > 0, kill(pid, 0) == 0 else { return false }
        return ProcessStatus(pid: pid)?.isOver != true
    }
}
