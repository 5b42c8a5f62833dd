import Foundation
import RalphTestSupport

@testable import RalphSessions

/// Trees of Ralph's files for the tests of discovery.
extension TemporaryDirectory {
    /// Copies a recorded workspace to `name`.
    func copySample(_ sample: String, to name: String) throws {
        let target = path + "/" + name
        try FileManager.default.createDirectory(
            atPath: (target as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: RalphTestSupport.Samples.directory + "/" + sample, toPath: target)
    }

    /// Makes a workspace with one run of one event.
    func makeWorkspace(_ name: String, run: String = "20260101-000000", loop: String? = nil) throws {
        let events = ".ralph/events-\(run).jsonl"
        try write(name + "/" + events, Self.line("work.start"))
        try write(name + "/.ralph/current-events", events)
        try write(name + "/.ralph/current-loop-id", loop ?? "primary-\(run)")
    }

    /// A line of an events file.
    static func line(_ topic: String) -> String {
        #"{"topic":"\#(topic)","payload":"","ts":"2026-01-01T00:00:00Z"}"# + "\n"
    }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path + "/" + name, withDestinationPath: target)
    }

    func makeDirectory(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: path + "/" + name, withIntermediateDirectories: true)
    }

    /// The paths of what a scan of this directory finds, relative to it.
    func found(_ change: (inout DiscoverySettings) -> Void = { _ in }) -> [String] {
        scan(change).sessions.map { relative($0.facts.directory.path) }
    }

    func scan(_ change: (inout DiscoverySettings) -> Void = { _ in }) -> ScanResult {
        var settings = DiscoverySettings(roots: [path])
        change(&settings)
        var scanner = SessionScanner(settings: settings)
        return scanner.scan()
    }

    func relative(_ path: String) -> String { String(path.dropFirst(self.path.count + 1)) }

    /// Makes many sessions that hold nothing but an empty lock file, a hundred to a directory, with bare
    /// system calls.
    func makeSessions(_ count: Int) {
        for number in 0..<count {
            if number % 100 == 0 { mkdir("\(path)/\(number / 100)", 0o700) }
            let workspace = "\(path)/\(number / 100)/p\(number)"
            mkdir(workspace, 0o700)
            mkdir(workspace + "/.ralph", 0o700)
            close(creat(workspace + "/.ralph/loop.lock", 0o600))
        }
    }
}
