import Foundation
import RalphSessions
import RalphWire

/// The state directory: where it lies, how much room there is, and who may read it.
struct StateCheckup: FileCheckup {
    /// Free bytes below which it should be looked after.
    static let fewBytes: UInt64 = 1 << 30
    /// Free bytes below which events may find no room.
    static let tooFewBytes: UInt64 = 64 << 20
    /// No owner and no mode helps there.
    private static let readOnlyAdvice =
        "Mount it for writing (mount -o remount,rw), or choose another with --state-dir."
    /// Files with secrets, or hashes of them.
    private static let secretFiles = ["api-key", "devices.json", "server.json", "tls-key.pem"]
    /// Files with what runs said and did, and where keys lie.
    private static let otherFiles = ["events.sqlite", "search.sqlite", "audit.jsonl", "key-files.json"]

    let subject = "state"
    let state: StateDirectory

    func look() -> [Finding] {
        guard let status = EntryStatus(at: state.path) else { return [missing()] }
        guard status.kind != .file, status.kind != .other else {
            return [.fail(subject, "\(state.path) is no directory", "Choose another with --state-dir.")]
        }
        let directory = status.kind == .link ? EntryStatus(at: resolved) ?? status : status
        let isWritable = access(state.path, R_OK | W_OK | X_OK) == 0
        let disk = DiskFigures(path: state.path)
        return [
            Self.judge(
                state.path, FileRights(directory), user: getuid(), isWritable: isWritable,
                isReadOnly: disk?.isReadOnly == true, kind: FileSystemKind(path: state.path)),
            Self.judge(free: disk?.freeBytes),
        ] + files(Self.secretFiles, areSecret: true) + files(Self.otherFiles, areSecret: false) + keyFiles()
    }

    /// What the directory's owner, mode and disk say.
    static func judge(
        _ path: String, _ rights: FileRights, user: UInt32, isWritable: Bool, isReadOnly: Bool,
        kind: FileSystemKind?
    ) -> Finding {
        guard !isReadOnly else {
            return .fail("state", "\(path) lies on a read-only file system", readOnlyAdvice)
        }
        guard isWritable else {
            return .fail(
                "state", "\(path) cannot be written by this user",
                "Give it to this user (chown), or choose another with --state-dir.")
        }
        guard !rights.isWritableByOthers else {
            return .fail(
                "state", "others may write to \(path) (mode \(rights.octal))", "chmod 700 \(path)")
        }
        guard rights.owner == user || rights.owner == 0 else {
            return .fail(
                "state", "\(path) belongs to user number \(rights.owner)", "chown it to who runs the server.")
        }
        guard rights.isPrivate else {
            // A server starts there: its files are its owner's alone.
            return .warn("state", "others may look into \(path) (mode \(rights.octal))", "chmod 700 \(path)")
        }
        if case .network(let name) = kind {
            return .warn(
                "state", "\(path) lies on \(name)",
                "SQLite needs a local disk for its shared memory: choose one with --state-dir.")
        }
        return .ok("state", "\(path), its owner's alone")
    }

    /// Whether there is room; `nil`: nobody knows.
    static func judge(free: UInt64?) -> Finding {
        guard let free else {
            return .warn("disk", "the system does not tell how much is free", "Look at df.")
        }
        let facts = "\(free >> 20) MiB are free for the store"
        if free < tooFewBytes { return .fail("disk", facts, "Free some: events cannot be stored soon.") }
        return free < fewBytes
            ? .warn("disk", facts, "Free some before the runs need it.") : .ok("disk", facts)
    }

    private var resolved: String { URL(fileURLWithPath: state.path).resolvingSymlinksInPath().path }

    private func missing() -> Finding {
        var parent = state.path
        while parent != "/", !FileManager.default.fileExists(atPath: parent) {
            parent = (parent as NSString).deletingLastPathComponent
        }
        guard DiskFigures(path: parent)?.isReadOnly != true else {
            return .fail(
                subject,
                "\(state.path) is not there and cannot be made: \(parent) lies on a read-only file system",
                Self.readOnlyAdvice)
        }
        guard access(parent, W_OK | X_OK) == 0 else {
            return .fail(
                subject, "\(state.path) is not there and cannot be made in \(parent)",
                "Give this user the right to, or choose another with --state-dir.")
        }
        return .ok(subject, "\(state.path) is made at the first start")
    }

    /// A list of key files that cannot be read, without which no server starts.
    private func keyFiles() -> [Finding] {
        let place = StateDirectory(examining: resolved)
        do {
            _ = try KeyFiles.read(place.keyFiles)
            return []
        } catch {
            return [
                .fail(
                    subject, error.description,
                    "Make the file this user's, or take it away; diffs may show what it names then.")
            ]
        }
    }

    private func files(_ names: [String], areSecret: Bool) -> [Finding] {
        names.compactMap { name in
            guard let status = EntryStatus(at: state.path + "/" + name) else { return nil }
            guard status.kind != .directory else {
                return .fail(
                    "state", "\(name) is a directory",
                    "Move \(state.path)/\(name) away: a file belongs there.")
            }
            guard status.kind == .file, !status.isPrivate else { return nil }
            let found = "\(name) can be read by others (mode \(FileRights(status).octal))"
            let advice = "chmod 600 \(state.path)/\(name)"
            return areSecret
                ? .fail("state", found, advice + ", and make what it holds anew.")
                : .warn("state", found, advice)
        }
    }
}
