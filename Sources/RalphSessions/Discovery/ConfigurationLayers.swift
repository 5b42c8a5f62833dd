/// Where what a run goes by is written, but for the user's own configuration, which lies below (contract 7.1).
package struct ConfigurationLayers: Sendable, Equatable {
    /// Where the configuration is, best place first, as absolute paths: the first that is there counts. One that a
    /// run from elsewhere was given may be an address.
    package var files: [String]
    /// What `-H` names, over it: an absolute path, or what is no file here, such as `builtin:debug`.
    package var hats: String?
    /// `--completion-promise`, over both.
    package var completionPromise: String?
    /// `-c core.scratchpad=…`, over both.
    package var scratchpad: String?

    /// Whether the best place is an address, from which only Ralph reads: nothing is known of such a configuration.
    package var isRemote: Bool { files.first.map(Self.isAddress) == true }

    package init(files: [String], hats: String? = nil, completionPromise: String? = nil) {
        self.files = files
        self.hats = hats
        self.completionPromise = completionPromise
    }

    /// Whether a configuration is named by its address, where Ralph fetches it (contract 4.7).
    package static func isAddress(_ config: String) -> Bool {
        config.hasPrefix("https://") || config.hasPrefix("http://")
    }
}
