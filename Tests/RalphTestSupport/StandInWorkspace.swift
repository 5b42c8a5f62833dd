import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// A workspace in which ralph runs a scripted agent: the real ralph that `RALPH_BIN` names, else the stand-in.
///
/// Made by ``withStandInWorkspace(_:_:)``, which also ends whatever was started in it.
public final class StandInWorkspace {
    /// The temporary directory that holds the workspace, the script and the processes' output.
    public let outside: TemporaryDirectory
    /// The workspace itself, `project` in ``outside``.
    public let directory: TemporaryDirectory
    private var processes: [StandInProcess] = []
    private let environment: [String: String]

    /// Makes the workspace with `ralph.yml` and `PROMPT.md`.
    public init(_ setup: StandInSetup, in outside: TemporaryDirectory) async throws {
        self.outside = outside
        directory = TemporaryDirectory(path: outside.path + "/project")
        environment = [
            "HOME": outside.path, "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            "GIT_AUTHOR_NAME": "Test", "GIT_AUTHOR_EMAIL": "test@example.org",
            "GIT_COMMITTER_NAME": "Test", "GIT_COMMITTER_EMAIL": "test@example.org",
            "GIT_CONFIG_NOSYSTEM": "1",
        ]
        let steps = try outside.write("steps.txt", setup.steps)
        try directory.write("ralph.yml", setup.configuration(steps: steps))
        if let prompt = setup.prompt { try directory.write("PROMPT.md", prompt) }
        if setup.isRepository {
            let ignored = [".ralph/", ".worktrees/"] + setup.ignored
            try directory.write(".gitignore", ignored.map { $0 + "\n" }.joined())
            for arguments in [
                ["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "start"],
            ] {
                let git = try launch("git", arguments)
                guard try await git.waitForExit() == .code(0) else {
                    throw ProcessStartError(description: "git \(arguments): \(git.errors)")
                }
            }
        }
    }

    /// The workspace's absolute path.
    public var path: String { directory.path }
    /// Its configuration file.
    public var configuration: String { path + "/ralph.yml" }

    /// Changes the agent's script; the next iteration follows the new one.
    public func setSteps(_ text: String) throws { try outside.write("steps.txt", text) }

    /// Starts `ralph run` with `arguments` in the workspace.
    ///
    /// - Parameter hasInput: gives it a standard input that stays open until ``StandInProcess/closeInput()``.
    public func run(_ arguments: [String] = ["--no-tui"], hasInput: Bool = false) throws -> StandInProcess {
        try launch(StandIn.ralph, ["run"] + arguments, hasInput: hasInput)
    }

    /// Runs a short command of ralph, such as `["emit", "a.b", "text"]`, to its end.
    @discardableResult
    public func ralph(_ arguments: [String]) async throws -> (exit: StandInProcess.Exit, output: String) {
        let process = try launch(StandIn.ralph, arguments)
        let exit = try await process.waitForExit()
        return (exit, process.output + process.errors)
    }

    /// Starts any program in the workspace; it is ended with the workspace.
    public func launch(
        _ program: String, _ arguments: [String], environment more: [String: String] = [:],
        hasInput: Bool = false
    ) throws -> StandInProcess {
        let process = try StandInProcess(
            program, arguments, environment: environment.merging(more) { $1 }, directory: path,
            files: outside.path + "/process-\(processes.count)", hasInput: hasInput)
        processes.append(process)
        return process
    }

    // MARK: Files

    public func exists(_ name: String) -> Bool { access(path + "/" + name, F_OK) == 0 }

    public func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: path + "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Makes a file of Ralph's, such as `stop-requested`, with `text` in it.
    public func put(_ name: String, _ text: String = "") throws {
        try directory.write(".ralph/" + name, text)
    }

    /// The name of the events file that the pointer names.
    public var eventsFile: String { text(".ralph/current-events") ?? ".ralph/events.jsonl" }

    /// The lines of the events file.
    public var lines: [String] {
        (text(eventsFile) ?? "").split(separator: "\n").map(String.init)
    }

    /// The rows of the events file that can be read.
    public var rows: [[String: Any]] {
        lines.compactMap {
            // What cannot be read is no row; ``lines`` has it.
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }

    /// The topics of the events file, in order.
    public var topics: [String] { rows.compactMap { $0["topic"] as? String } }

    /// The topics without ralph's telemetry.
    public var plainTopics: [String] { topics.filter { $0 != "iteration.summary" } }

    /// The reason in the last `loop.terminate`.
    public var endReason: String? {
        let last = rows.last { $0["topic"] as? String == "loop.terminate" }?["payload"] as? String
        return last?.split(separator: "\n").dropFirst().first.map(String.init)
    }

    /// Appends a row as a person's tool would, with one write.
    public func append(topic: String, payload: String) throws {
        let row = ["payload": payload, "topic": topic, "ts": "2026-01-01T00:00:00Z"]
        let data = try JSONSerialization.data(
            withJSONObject: row, options: [.sortedKeys, .withoutEscapingSlashes])
        try directory.append(eventsFile, String(decoding: data, as: UTF8.self) + "\n")
    }

    // MARK: Waiting

    /// Waits until the agent of the iteration that runs has made `name` in the workspace.
    public func waitForFile(_ name: String, within limit: Duration = .seconds(20)) async throws {
        try await eventually(within: limit, name) { exists(name) }
    }

    /// Waits until `topic` stands in the events file `count` times.
    public func waitForTopic(_ topic: String, count: Int = 1, within limit: Duration = .seconds(20))
        async throws
    {
        try await eventually(within: limit, "\(count) × \(topic)") {
            topics.filter { $0 == topic }.count >= count
        }
    }

    // MARK: Processes

    /// All living processes that work in the workspace: ralph, its agents, and what they have started.
    public func liveProcesses() -> [ProcessSnapshot] {
        ProcessSnapshot.all().filter {
            $0.isLiving && ($0.directory == path || $0.directory.hasPrefix(path + "/"))
        }
    }

    /// Those of them that are scripted agents.
    public func agents() -> [ProcessSnapshot] { liveProcesses().filter { $0.arguments.contains("agent") } }

    /// Kills what is left, with what the test has started.
    public func cleanUp() {
        for _ in 0..<20 {
            let left = liveProcesses()
            if left.isEmpty { break }
            left.forEach { kill($0.pid, SIGKILL) }
            processes.forEach { _ = $0.poll() }
        }
        processes.removeAll()
    }
}

/// Runs `body` with a workspace; afterwards nothing of it is left, neither processes nor files.
public func withStandInWorkspace<Result>(
    _ setup: StandInSetup, _ body: (StandInWorkspace) async throws -> Result
) async throws -> Result {
    try await withTemporaryDirectory { outside in
        let workspace = try await StandInWorkspace(setup, in: outside)
        defer { workspace.cleanUp() }
        return try await body(workspace)
    }
}
