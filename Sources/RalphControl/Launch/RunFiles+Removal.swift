import Foundation
import RalphSessions
package import RalphWire

extension RunFiles {
    /// Removes the oldest runs of the directory but for those that still live.
    ///
    /// - Parameter isKept: whether a run stays, by the path of its output.
    func removeOlder(but isKept: (String) -> Bool) {
        let parent = (path as NSString).deletingLastPathComponent
        let old = Self.numbers(in: parent).sorted(by: >).dropFirst(RunLauncher.keptRuns).map {
            RunFiles(path: "\(parent)/\($0)")
        }.filter { !isKept($0.output) }
        Self.withoutLiving(old) { run in
            // What cannot be removed now is tried again with the next run.
            try? FileManager.default.removeItem(atPath: run.path)
        }
    }

    fileprivate static func withoutLiving(_ runs: [RunFiles], _ body: (RunFiles) -> Void) {
        guard !runs.isEmpty else { return }
        let tree = ProcessTree()
        for run in runs where tree.processes(withArgument: run.config).isEmpty { body(run) }
    }

    /// Removes the run's files; of the newest one the empty directory stays, so that no run gets its number again.
    fileprivate func remove() {
        let name = (path as NSString).lastPathComponent
        let newest = Self.numbers(in: (path as NSString).deletingLastPathComponent).max() ?? 0
        let files = name == "\(newest)" ? [config, prompt, output, errors] : [path]
        // What is not there, or cannot be removed, is left as it is.
        for file in files { try? FileManager.default.removeItem(atPath: file) }
    }

    /// The run whose output is at `path`, if that is of our making.
    fileprivate init?(output path: String, below runs: String) {
        let parts = path.path(below: runs)?.split(separator: "/", omittingEmptySubsequences: false) ?? []
        guard parts.count == 3, SessionID(String(parts[0])) != nil, Int(parts[1]) != nil else { return nil }
        self.init(path: "\(runs)/\(parts[0])/\(parts[1])")
        guard output.isPath(path) else { return nil }
    }
}

extension ControlSettings {
    /// Removes what the runs of a session have left that is over.
    ///
    /// - Parameters:
    ///   - outputs: those of its runs.
    ///   - isKept: whether an output is another session's.
    package func removeRuns(of session: SessionID, outputs: [String], but isKept: (String) -> Bool) {
        let own = "\(runs)/\(session.rawValue)"
        let known = outputs.compactMap { RunFiles(output: $0, below: runs) }
        // A newer one is about to begin.
        let newest = known.compactMap { run in run.path.path(below: own).flatMap { Int($0) } }.max() ?? 0
        var found = RunFiles.numbers(in: own).filter { $0 <= newest }.map { RunFiles(path: "\(own)/\($0)") }
        found += known.filter { run in !found.contains { $0.path.isPath(run.path) } }
        RunFiles.withoutLiving(found.filter { !isKept($0.output) }) { $0.remove() }
    }
}
