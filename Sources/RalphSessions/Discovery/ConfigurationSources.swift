/// Who tells which configuration a session's runs go by (contract 7.1).
package struct ConfigurationSources: Sendable {
    /// The user's own one, an absolute path; Ralph merges it under every other.
    package var user: String?
    /// The run that works in a session, or last did; asked when it may be another one. `nil`: what lies in
    /// the workspace tells as much.
    package var run: @Sendable (DiscoveredSession) -> ConfiguredRun? = { _ in nil }

    package init() {}
}

extension DiscoveredSession {
    /// Where a run finds its configuration that was given none: in the workspace, or, for a worktree's loop, where git has
    /// put none there, in the main one, where its process works (contract 5.1).
    package var configurationFiles: [String] {
        [directory.workspace, takesLock ? nil : mainWorkspace].compactMap(\.self).map {
            $0.appendingPath(SessionDirectory.configName)
        }
    }

    /// Files that are written when a run begins, and that name its process.
    var runMarks: [String] {
        let loops = mainWorkspace.map { SessionDirectory(workspace: $0).loopsFile }
        return [directory.lockFile, loops].compactMap(\.self)
    }
}
