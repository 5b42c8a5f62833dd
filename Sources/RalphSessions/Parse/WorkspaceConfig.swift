/// What of a workspace's `ralph.yml` a reader needs (contract 7.1, 7.2).
package struct WorkspaceConfig: Sendable, Equatable {
    /// One hat.
    package struct Hat: Sendable, Equatable {
        /// Key in the file, lower case.
        package let id: String
        /// Display name; the id where the file gives none.
        package let name: String
        package let triggers: [String]
        package let publishes: [String]
    }

    /// In alphabetical order of their ids, the order in which Ralph asks them (contract 2.6).
    package let hats: [Hat]
    /// Ralph's default is 100.
    package let maxIterations: Int
    /// Ralph's default is `LOOP_COMPLETE`.
    package let completionPromise: String
    /// `nil`: the feature is off.
    package let cancellationPromise: String?
    package let startingEvent: String?

    /// Reads `<workspace>/ralph.yml`; `nil` if there is none, it is larger than 1 MiB or it is not YAML.
    package static func load(workspace: String) -> WorkspaceConfig? { nil }
}
