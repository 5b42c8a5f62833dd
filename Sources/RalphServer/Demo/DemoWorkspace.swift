import Foundation
import RalphSessions
import RalphWire

/// A temporary root with copies of recorded workspaces, and one more in which a recording is played.
struct DemoWorkspace: Sendable {
    /// What may be copied in all, in bytes: a demo must not fill a disk because it was started in the wrong place.
    static let maximumBytes = 64 << 20

    /// The temporary root.
    let root: String
    /// The workspace to play in; below ``root``.
    let live: String
    let lines: [DemoPlayer.Line]

    /// The program that runs in ``live``; `nil`: the recording is played there.
    let standIn: String?
    /// Held as long as the server lives: when nobody does, the play ends, paused or not, and removes the root.
    private let lock: DemoLock

    /// The file of the lock.
    var lockPath: String { lock.path }

    /// Copies the recorded workspaces directly below `source` and picks the longest recording for the play.
    ///
    /// - Parameter standIn: what runs in ``live``; `nil`: nothing does, and the workspace waits for a ``DemoPlayer``.
    /// - Throws: ``ConfigurationProblem`` if nothing below `source` was ever recorded, or too much.
    init(copying source: String, standIn: String? = installedStandIn) throws {
        self.standIn = standIn
        let recordings = try Recordings(in: source)
        lines = recordings.lines
        root = Self.temporaryDirectory + "/ralph-demo-" + UUID().uuidString.prefix(8).lowercased()
        live = root + "/live-demo"
        do {
            try FileManager.default.createDirectory(
                atPath: live + "/" + SessionDirectory.ralphName, withIntermediateDirectories: true)
            lock = try DemoLock(in: root)
            for name in recordings.workspaces where name != "live-demo" {
                try Self.copy(source + "/" + name, to: root + "/" + name)
            }
            if let standIn {
                try Self.write(standIn, lock.path, into: live)
                return
            }
            // Who wears which hat is in the recorded workspace's configuration, if it has one.
            let configuration = "\(source)/\(recordings.longest)/ralph.yml"
            if FileManager.default.fileExists(atPath: configuration) {
                try Self.copy(configuration, to: live + "/ralph.yml")
            }
            // The first look at the roots does not wait for the play, and the start-up lines tell what it has found.
            _ = try DemoPlayer.pointToNewRun(in: live)
        } catch {
            Self.remove(root)
            throw ConfigurationProblem(
                "--demo: the sessions cannot be copied to \(root): \(error.localizedDescription)")
        }
    }

    /// What a demo would copy and play.
    struct Recordings {
        /// Names of directories.
        let workspaces: [String]
        /// The workspace with the longest recording.
        let longest: String
        /// That recording; not empty.
        let lines: [DemoPlayer.Line]

        /// - Throws: ``ConfigurationProblem`` if nothing below `source` was ever recorded, or too much.
        init(in source: String) throws(ConfigurationProblem) {
            // What holds the temporary directory would be copied into itself.
            let temporary = DemoWorkspace.temporaryDirectory + "/"
            workspaces = DemoWorkspace.workspaces(in: source).filter {
                !temporary.hasPrefix("\(source)/\($0)/")
            }
            try DemoWorkspace.checkSize(of: workspaces.map { source + "/" + $0 })
            let recordings = workspaces.compactMap { name in
                DemoWorkspace.recording(in: source + "/" + name).map { (name: name, text: $0) }
            }
            let longest = recordings.max { $0.text.utf8.count < $1.text.utf8.count }
            self.longest = longest?.name ?? ""
            lines = DemoPlayer.lines(of: longest?.text ?? "")
            guard !lines.isEmpty else {
                throw ConfigurationProblem("--demo: there is no recorded session below \(source).")
            }
        }
    }

    /// Where ``root`` is made.
    static var temporaryDirectory: String {
        URL(fileURLWithPath: NSTemporaryDirectory()).resolvingSymlinksInPath().path
    }

    /// Copies directories, files and links; the copy is this user's, whoever owns the original.
    private static func copy(_ source: String, to target: String) throws {
        let files = FileManager.default
        switch EntryStatus(at: source)?.kind {
        case .directory:
            try files.createDirectory(atPath: target, withIntermediateDirectories: false)
            for name in try files.contentsOfDirectory(atPath: source) {
                try copy(source + "/" + name, to: target + "/" + name)
            }
        case .file:
            let mode = try files.attributesOfItem(atPath: source)[.posixPermissions] as? Int ?? 0
            try Data(contentsOf: URL(fileURLWithPath: source)).write(to: URL(fileURLWithPath: target))
            try files.setAttributes([.posixPermissions: mode | 0o600], ofItemAtPath: target)
        case .link:
            try files.createSymbolicLink(
                atPath: target, withDestinationPath: files.destinationOfSymbolicLink(atPath: source))
        default: break
        }
    }

    /// The stand-in for ralph that the build put beside this program; `nil`: it is not there.
    static var installedStandIn: String? {
        FileManager.default.isExecutableFile(atPath: standInPath) ? standInPath : nil
    }

    /// Where the build puts it. Nothing else starts runs in a demonstration, so it is named where it is missing, too.
    static var standInPath: String {
        let program = Bundle.main.executableURL?.resolvingSymlinksInPath().path ?? "/"
        return ((program as NSString).deletingLastPathComponent as NSString)
            .appendingPathComponent("ralph-stand-in")
    }

    /// Makes `workspace` one in which a scripted agent works as planner, builder and reviewer in turns.
    private static func write(_ standIn: String, _ lock: String, into workspace: String) throws {
        let texts = [
            "ralph.yml": configuration(standIn, lock),
            "PROMPT.md":
                "# A word counter\n\nBuild a small word counter, slice by slice, each with its tests.\n",
        ]
        for (name, text) in texts {
            try Data(text.utf8).write(to: URL(fileURLWithPath: workspace + "/" + name))
        }
    }

    private static func configuration(_ standIn: String, _ lock: String) -> String {
        """
        # A play by the stand-in for ralph: nothing here asks an AI for anything.
        event_loop:
          prompt_file: PROMPT.md
          max_iterations: 2000
        cli:
          backend: custom
          command: \(quoted(standIn))
          args: [agent, --demo, --while-locked, \(quoted(lock))]
        RObot:
          enabled: true
          mode: web
          timeout_seconds: 30
        hats:
          planner:
            name: Planner
            triggers: [task.start, task.resume, slice.accepted]
            publishes: [slice.planned]
            instructions: Choose the next slice of the work.
          builder:
            name: Builder
            triggers: [slice.planned, slice.rejected]
            publishes: [slice.built]
            instructions: Build the slice and prove it with tests.
          reviewer:
            name: Reviewer
            triggers: [slice.built]
            publishes: [slice.accepted, slice.rejected]
            instructions: Accept the slice or say what is missing.

        """
    }

    private static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        JSONText.appendString(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Removes the temporary root.
    func remove() { Self.remove(root) }

    private static func remove(_ root: String) {
        try? FileManager.default.removeItem(atPath: root)  // a left-over temporary directory harms nobody
    }

    /// The directories in `source` that are workspaces or hold some directly, as the recordings of several do.
    private static func workspaces(in source: String) -> [String] {
        directories(in: source).filter { name in
            isWorkspace(source + "/" + name)
                || directories(in: source + "/" + name).contains { isWorkspace("\(source)/\(name)/\($0)") }
        }
    }

    private static func isWorkspace(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path + "/" + SessionDirectory.ralphName)
    }

    /// The directories in `path` that are not hidden, in the order of their names.
    private static func directories(in path: String) -> [String] {
        // What cannot be read cannot be copied either.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.sorted().filter { name in
            !name.hasPrefix(".") && EntryStatus(behindLinks: path + "/" + name)?.kind == .directory
        }
    }

    private static func checkSize(of paths: [String]) throws(ConfigurationProblem) {
        var bytes = 0
        for path in paths {
            guard let files = FileManager.default.enumerator(atPath: path) else { continue }
            while files.nextObject() != nil {
                bytes += (files.fileAttributes?[.size] as? NSNumber)?.intValue ?? 0
                guard bytes <= maximumBytes else {
                    throw ConfigurationProblem(
                        "--demo: what lies in \(path) is more than \(maximumBytes >> 20) MiB; name a directory of"
                            + " recordings with --root.")
                }
            }
        }
    }

    private static func recording(in workspace: String) -> String? {
        let directory = workspace + "/" + SessionDirectory.ralphName
        // No such directory: nothing was recorded.
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: directory) else { return nil }
        guard let name = names.filter(SessionDirectory.isEventsFileName).max() else { return nil }
        return FileManager.default.contents(atPath: directory + "/" + name).map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
