import Foundation

/// `server.json` in the state directory: where this server listens, and a key of its own for tools of the same
/// user on this machine. Owner only; it is there while the server runs, and the key counts as long.
struct RunningRecord: Sendable {
    private let path: String
    /// Counts on connections from this machine only.
    let key = Secret.mint()

    init(path: String) { self.path = path }

    /// Writes the file; `false` if the disk does not take it.
    func write(host: String, port: Int, fingerprint: String? = nil) -> Bool {
        let contents = RunningContents(
            pid: ProcessInfo.processInfo.processIdentifier, host: host, port: port,
            tls_fingerprint: fingerprint, key: key, version: ServerVersion.text)
        do {
            try PrivateFile.replace(path, with: JSONEncoder().encode(contents))
            return true
        } catch {
            return false
        }
    }

    /// Takes the file away.
    func remove() { _ = unlink(path) }
}
