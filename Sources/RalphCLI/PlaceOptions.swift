import ArgumentParser
import Foundation
import RalphServer

/// Where a server's sessions and state are; the same for serving and for tools that look for a running server.
struct PlaceOptions: ParsableArguments {
    @Option(
        help:
            "Directory below which sessions are found; may be repeated. Default: RALPH_HOME, or the current one."
    )
    var root: [String] = []
    @Option(help: "Directory for the store and the key. Default: one per root below $XDG_STATE_HOME.")
    var stateDir: String?

    /// The state directory that a server started with these options uses.
    ///
    /// - Throws: ``ConfigurationProblem``.
    func stateDirectory() throws -> String {
        try ServerConfiguration.stateDirectory(
            named: stateDir, roots: root, environment: ProcessInfo.processInfo.environment)
    }
}
