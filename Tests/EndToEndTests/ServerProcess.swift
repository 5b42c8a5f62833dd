import Foundation
import RalphTestSupport

/// `ralph-mobile-server` as a process, killed with its owner. Its output goes to files, so that nothing it
/// writes can block it.
final class ServerProcess {
    /// The program that the build put beside the test bundle.
    static let binary =
        (CommandLine.arguments[0] as NSString).deletingLastPathComponent + "/ralph-mobile-server"

    private let process = Process()
    private let outputPath: String
    private let errorPath: String
    /// The state directory, if it was named.
    private let state: String?

    /// Starts the program in `directory` with nothing but `environment`, `HOME` and `TMPDIR` in its environment.
    init(
        _ arguments: [String], environment: [String: String] = [:], in directory: TemporaryDirectory,
        binary: String = ServerProcess.binary
    ) throws {
        guard FileManager.default.isExecutableFile(atPath: binary) else {
            throw ProcessProblem("\(binary) is not there: build the whole package before its tests.")
        }
        let name = ".process-\(UUID().uuidString.prefix(8))"
        outputPath = try directory.write(name + "/out", "")
        errorPath = try TestLogs.path(for: name.dropFirst() + "") ?? directory.write(name + "/err", "")
        try Data().write(to: URL(fileURLWithPath: errorPath))
        state = arguments.firstIndex(of: "--state-dir").flatMap { place in
            arguments.indices.contains(place + 1) ? arguments[place + 1] : nil
        }
        process.executableURL = URL(fileURLWithPath: binary)
        process.arguments = arguments
        process.environment = environment.merging([
            "HOME": directory.path, "TMPDIR": directory.path + "/" + name,
        ]) {
            given, _ in given
        }
        process.currentDirectoryURL = URL(fileURLWithPath: directory.path)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: outputPath)
        process.standardError = FileHandle(forWritingAtPath: errorPath)
        try process.run()
    }

    deinit {
        kill()
        if let state { TestLogs.keepAudit(of: state) }
    }

    var pid: Int32 { process.processIdentifier }
    var isRunning: Bool { process.isRunning }
    /// The directory that the process makes temporary files in.
    var temporaryDirectory: String { (outputPath as NSString).deletingLastPathComponent }
    /// What it wrote to standard output so far.
    var output: String { Self.text(outputPath) }
    /// What it wrote to standard error so far.
    var errors: String { Self.text(errorPath) }

    /// Sends a signal; nothing once the process has ended.
    func signal(_ number: Int32) {
        if process.isRunning { _ = Foundation.kill(pid, number) }
    }

    /// Ends the process as nothing can be caught.
    func kill() { signal(SIGKILL) }

    /// The exit status; a process that a signal ended has 128 and the signal's number, as in a shell.
    func exitStatus(within limit: Duration = .seconds(20)) async throws -> Int32 {
        try await eventually(within: limit, "end of the process") { !process.isRunning }
        return wasKilled ? 128 + process.terminationStatus : process.terminationStatus
    }

    /// Whether a signal has ended it.
    var wasKilled: Bool { !process.isRunning && process.terminationReason == .uncaughtSignal }

    /// The port that the start-up lines name, once they do.
    func port(within limit: Duration = .seconds(20)) async throws -> Int {
        var port: Int?
        try await eventually(within: limit, "start-up lines") {
            port = startLine.flatMap { Int($0[($0.lastIndex(of: ":") ?? $0.startIndex)...].dropFirst()) }
            if port == nil, !process.isRunning { throw ProcessProblem("it has ended: \(errors)") }
            return port != nil
        }
        return port ?? 0
    }

    private var startLine: Substring? {
        guard output.hasSuffix("\n") else { return nil }
        return output.split(separator: "\n").first { $0.hasPrefix("Starting ralph-mobile-server on ") }
    }

    private static func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }
}

/// A process cannot be started, or is not what a test needs.
struct ProcessProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
