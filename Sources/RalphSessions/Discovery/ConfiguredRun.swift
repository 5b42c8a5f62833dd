/// Which run works in a session, and what it was started with.
package struct ConfiguredRun: Sendable, Equatable {
    /// Tells the run from all others.
    package let run: String
    package let configuration: ConfigurationLayers

    package init(run: String, configuration: ConfigurationLayers) {
        self.run = run
        self.configuration = configuration
    }
}
