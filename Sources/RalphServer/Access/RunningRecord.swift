import Foundation
import Synchronization

/// `server.json` in the state directory: where this server listens, and a key of its own for tools of the same
/// user on this machine. Owner only; it is there while the server runs, and the key counts as long.
final class RunningRecord: Sendable {
    private let path: String
    /// Counts on connections from this machine only.
    let key = Secret.mint()
    /// What is not on the disk yet. Held while that is written: two writers would share one temporary file.
    private let unwritten = Mutex<RunningContents?>(nil)

    init(path: String) { self.path = path }

    /// Writes the file; `false` if the disk does not take it.
    func write(host: String, port: Int, fingerprint: String? = nil) -> Bool {
        let contents = RunningContents(
            pid: ProcessInfo.processInfo.processIdentifier, host: host, port: port,
            tls_fingerprint: fingerprint, key: key, version: ServerVersion.text)
        unwritten.withLock { $0 = contents }
        return writeAgain()
    }

    /// Whether the disk has taken all that was to be written.
    var isWritten: Bool { unwritten.withLock { $0 == nil } }

    /// Writes what the disk did not take; `false` if it still does not.
    func writeAgain() -> Bool {
        unwritten.withLock { contents in
            guard let wanted = contents else { return true }
            do {
                try PrivateFile.replace(path, with: JSONEncoder().encode(wanted))
                contents = nil
                return true
            } catch {
                return false
            }
        }
    }

    /// Takes the file away, unless it is another server's: the state directory may have been put aside for a new one.
    func remove() {
        // What cannot be decoded is not what was written here.
        guard let contents = try? RunningContents.decode(path), contents.key == key else { return }
        _ = unlink(path)
    }
}
