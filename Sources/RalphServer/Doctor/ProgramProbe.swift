import Foundation
import RalphControl

/// Asks programs of this machine about themselves.
struct ProgramProbe: Sendable {
    /// What a program may take to answer.
    static let patience = Duration.seconds(5)
    private static let maximumOutputBytes = 4096

    /// What came of it.
    enum Outcome: Sendable, Equatable {
        /// Its output.
        case output(String)
        /// It ended with another status than 0; its last error.
        case failed(String)
        /// It did not end in time.
        case silent
        /// It cannot be started.
        case missing(String)
    }

    let environment: [String: String]

    /// The output of a program on `PATH`; `nil` if it is not there or fails.
    func output(of name: String, _ arguments: [String]) async -> String? {
        guard let path = path(of: name) else { return nil }
        if case .output(let text) = await run(path, arguments) { return text }
        return nil
    }

    /// The absolute path of `name` on `PATH`.
    func path(of name: String) -> String? {
        ControlSettings(ralph: nil, runs: "/", environment: environment).program(name)
    }

    /// Runs the program at `path`, with the environment that runs get.
    func run(_ path: String, _ arguments: [String]) async -> Outcome {
        let run = CapturedRun(
            program: path, arguments: arguments, directory: "/",
            environment: ControlSettings.childEnvironment(environment),
            maximumOutputBytes: Self.maximumOutputBytes)
        do {
            guard let outcome = try await run.run(until: .now + Self.patience) else { return .silent }
            guard outcome.code == 0 else {
                return .failed(
                    outcome.lastError ?? outcome.code.map { "status \($0)" } ?? "a signal ended it")
            }
            return .output(String(decoding: outcome.output, as: UTF8.self))
        } catch {
            switch error {
            case .ralphMissing(let text), .failedToSpawn(let text): return .missing(text)
            default: return .missing("\(error)")
            }
        }
    }
}
