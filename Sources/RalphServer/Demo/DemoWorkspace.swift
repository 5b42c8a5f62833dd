import Foundation
import RalphSessions

/// A temporary root with copies of recorded workspaces, and one more in which a recording is played.
struct DemoWorkspace: Sendable {
    /// The temporary root.
    let root: String
    /// The workspace to play in; below ``root``.
    let live: String
    let lines: [DemoPlayer.Line]

    /// Copies every directory directly below `source` and picks the longest recording for the play.
    ///
    /// - Throws: ``ConfigurationProblem`` if nothing below `source` was ever recorded.
    init(copying source: String) throws {
        let files = FileManager.default
        root =
            URL(fileURLWithPath: NSTemporaryDirectory()).resolvingSymlinksInPath().path
            + "/ralph-demo-\(ProcessInfo.processInfo.processIdentifier)"
        live = root + "/live-demo"
        try files.createDirectory(
            atPath: live + "/" + SessionDirectory.ralphName, withIntermediateDirectories: true)
        var longest = ""
        var configuration = ""
        for name in try files.contentsOfDirectory(atPath: source).sorted() {
            var isDirectory: ObjCBool = false
            let path = source + "/" + name
            guard files.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue else {
                continue
            }
            try files.copyItem(atPath: path, toPath: root + "/" + name)
            if let recording = Self.recording(in: path), recording.utf8.count > longest.utf8.count {
                longest = recording
                configuration = path + "/ralph.yml"
            }
        }
        // Who wears which hat is in the recorded workspace's configuration, if it has one.
        if files.fileExists(atPath: configuration) {
            try files.copyItem(atPath: configuration, toPath: live + "/ralph.yml")
        }
        lines = DemoPlayer.lines(of: longest)
        guard !lines.isEmpty else {
            throw ConfigurationProblem("--demo: there is no recorded session below \(source).")
        }
    }

    /// Removes the temporary root.
    func remove() {
        try? FileManager.default.removeItem(atPath: root)  // a left-over temporary directory harms nobody
    }

    private static func recording(in workspace: String) -> String? {
        let directory = workspace + "/" + SessionDirectory.ralphName
        // None.
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: directory) else { return nil }
        guard let name = names.filter(SessionDirectory.isEventsFileName).max() else { return nil }
        return FileManager.default.contents(atPath: directory + "/" + name).map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
