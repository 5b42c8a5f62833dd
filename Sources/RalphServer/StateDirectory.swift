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
    /// Where the app's streams ended with the last server.
    var streamEnds: String { path + "/streams.json" }
    /// Where the files of keys were.
    var keyFiles: String { path + "/key-files.json" }
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
    /// Is there while nobody has been shown that key.
    private var unshownKeyMark: String { path + "/api-key.unshown" }

    /// All that is kept in it and may be text, with what stands beside a file while it is written or is set aside; no
    /// workspace, should one lie here.
    var contents: [String] {
        let files = [devices, record, streamEnds, keyFiles, certificate, certificateKey, keyFile]
        let stores = [store, search].flatMap { store in
            ["", "-wal", "-shm", ".lock", ".journal", ".damaged"].map { store + $0 }
        }
        let logs = (0...AuditFile.olderFiles).map { AuditFile.path(audit, $0) }
        return [runs, shelters, unshownKeyMark] + stores + logs + files.flatMap { [$0, $0 + ".new"] }
    }

    /// SQLite opens no file whose path has more than 504 bytes.
    static let maximumPathBytes = 504 - "/events.sqlite".utf8.count

    /// Makes the directory if it is missing. Runs get paths below it and work elsewhere, so it is absolute.
    init(path: String) throws(ConfigurationProblem) {
        self.path = URL(fileURLWithPath: path).standardizedFileURL.path
        var isDirectory: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: self.path, isDirectory: &isDirectory)
        guard isDirectory.boolValue || !exists else { throw Self.problem(path, "is no directory") }
        try ServerConfiguration.refuseOtherText(path, "The state directory", exists: exists)
        try checkLength()
        if let reason = Self.make(self.path) { throw Self.problem(path, "cannot be made: \(reason)") }
        guard access(self.path, W_OK | X_OK) == 0 else {
            throw Self.unwritable(path, SystemCode(errno).description)
        }
        // Files in it are opened through no link.
        if let real = self.path.canonicalPath { self.path = real }
        try checkLength()
        // Who can put files here can pair a device of their own.
        guard EntryStatus(at: self.path + "/.")?.isOursAlone == true else {
            throw ConfigurationProblem(
                "The state directory \(path) belongs to somebody else, or others may write to it; chmod 700 it,"
                    + " or choose another with --state-dir.")
        }
        if let reason = Self.make(runs) {
            throw Self.problem(path, "cannot have a directory \(runs): \(reason)")
        }
    }

    private func checkLength() throws(ConfigurationProblem) {
        let real = path.canonicalPath ?? path
        guard real.utf8.count > Self.maximumPathBytes else { return }
        throw Self.problem(
            real,
            "has a path of \(real.utf8.count) bytes; the store can be opened below one of \(Self.maximumPathBytes) at most"
        )
    }

    /// Makes a directory for us alone, if it is not there; gives the reason if that cannot be done.
    private static func make(_ directory: String) -> String? {
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            return nil
        } catch {
            return reason(error)
        }
    }

    private static func reason(_ error: any Error) -> String {
        SystemReason.text(error) ?? "the system does not say why"
    }

    private static func unwritable(_ path: String, _ reason: String) -> ConfigurationProblem {
        problem(path, "exists, but cannot be written to: \(reason)")
    }

    private static func problem(_ path: String, _ what: String) -> ConfigurationProblem {
        ConfigurationProblem("The state directory \(path) \(what). Choose another with --state-dir.")
    }

    /// The directory as it is; nothing is made.
    init(examining path: String) { self.path = URL(fileURLWithPath: path).standardizedFileURL.path }

    /// The stored key, or a new one of 256 bits, stored 0600; `isNew` says that nobody has been shown it yet, since a start
    /// may fail behind this.
    func key() throws(ConfigurationProblem) -> (key: String, isNew: Bool) {
        if let stored = try storedKey() {
            guard EntryStatus(at: keyFile)?.isPrivate == true else {
                throw ConfigurationProblem(
                    "Others may read the key in \(keyFile): take the file away, and a new key is made.")
            }
            if stored.utf8.count >= 32 { return (stored, EntryStatus(at: unshownKeyMark) != nil) }
        }
        let key = Secret.mint()
        do {
            try PrivateFile.replace(unshownKeyMark, with: Data())
            try PrivateFile.replace(keyFile, with: Data((key + "\n").utf8))
        } catch {
            throw ConfigurationProblem("The API key cannot be stored in \(keyFile): \(Self.reason(error)).")
        }
        return (key, true)
    }

    /// The first line of the key's file; `nil`: there is none.
    private func storedKey() throws(ConfigurationProblem) -> String? {
        let text: String
        do {
            text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: keyFile)), as: UTF8.self)
        } catch {
            // What is no file is told where the new key is stored.
            guard EntryStatus(at: keyFile)?.kind == .file else { return nil }
            throw unreadableKey(Self.reason(error))
        }
        let key = Self.key(in: text)
        guard ServerConfiguration.isWord(key) else {
            throw unreadableKey("its first line is no word of visible ASCII characters")
        }
        return key
    }

    /// Where the text of the key's file has it; empty lines before it count for nothing.
    static func key(in text: String) -> String {
        ServerConfiguration.firstLine(of: text.trimmingCharacters(in: .newlines))
    }

    private func unreadableKey(_ reason: String) -> ConfigurationProblem {
        ConfigurationProblem(
            "The key in \(keyFile) cannot be read: \(reason). Make the file yours, or take it away, and a new key is made."
        )
    }

    /// The key has been shown to whoever started the server.
    func noteKeyShown() { _ = unlink(unshownKeyMark) }
}
