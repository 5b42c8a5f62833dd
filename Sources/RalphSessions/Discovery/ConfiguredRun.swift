/// Which run works in a session, and what it was started with.
package struct ConfiguredRun: Sendable, Equatable {
    /// Tells the run from all others.
    package let run: String
    /// Where its configuration is, best place first, as absolute paths.
    package let configurationFiles: [String]

    package init(run: String, configurationFiles: [String]) {
        self.run = run
        self.configurationFiles = configurationFiles
    }
}
