import Foundation
import RalphSessions

/// The directory for everything of the server's own: store, key, and
/// what runs are started with and write. Owner only (0700, files 0600).
struct StateDirectory: Sendable {
    private(set) var path: String

    var store: String { path + "/events.sqlite" }
    /// The search index, which is derived from the store.
    var search: String { path + "/search.sqlite" }
    /// The paired devices.
    var devices: String { path + "/devices.json" }
    /// Who did what; older files beside it.
    var audit: String { path + "/audit.jsonl" }
    /// What tools of the same user need to find the running server.
    var record: String { path + "/server.json" }
    /// The certificate that we signed ourselves.
    var certificate: String { path + "/tls-cert.pem" }
    /// Its private key.
    var certificateKey: String { path + "/tls-key.pem" }
    /// Generated configurations and output files of runs that we start.
    var runs: String { path + "/runs" }
    /// Git directories of our own, made for one diff each.
    var shelters: String { path + "/diffs" }
    /// The minted key.
    var keyFile: String { path + "/api-key" }

    /// Makes the directory if it is missing. Runs get paths below it and work elsewhere, so it is absolute.
    init(path: String) throws(ConfigurationProblem) {
        self.path = URL(fileURLWithPath: path).standardizedFileURL.path
        try Self.make(self.path, for: path)
        // Files in it are opened through no link.
        if let real = StartResolver.canonical(self.path) { self.path = real }
        // Who can put files here can pair a device of their own.
        guard EntryStatus(at: self.path + "/.")?.isOursAlone == true else {
            throw ConfigurationProblem(
                "The state directory \(path) belongs to somebody else, or others may write to it; chmod 700 it,"
                    + " or choose another with --state-dir.")
        }
        try Self.make(runs, for: path)
    }

    /// Makes a directory for us alone, if it is not there.
    private static func make(_ directory: String, for path: String) throws(ConfigurationProblem) {
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw ConfigurationProblem(
                "The state directory \(path) cannot be made: \(error.localizedDescription)."
                    + " Choose another with --state-dir.")
        }
    }

    /// The directory as it is; nothing is made.
    init(examining path: String) { self.path = URL(fileURLWithPath: path).standardizedFileURL.path }

    /// The stored key, or a new one of 256 bits, stored 0600; `isNew` says which.
    func key() throws(ConfigurationProblem) -> (key: String, isNew: Bool) {
        if let stored = FileManager.default.contents(atPath: keyFile) {
            let key = String(decoding: stored, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            guard EntryStatus(at: keyFile)?.isPrivate == true else {
                throw ConfigurationProblem(
                    "Others may read the key in \(keyFile): take the file away, and a new key is made.")
            }
            if key.utf8.count >= 32 { return (key, false) }
        }
        let key = Secret.mint()
        // Why it cannot be written does not matter here.
        let isWritten = (try? PrivateFile.replace(keyFile, with: Data((key + "\n").utf8))) != nil
        guard isWritten else {
            throw ConfigurationProblem("The API key cannot be stored in \(keyFile); check the directory.")
        }
        return (key, true)
    }
}
