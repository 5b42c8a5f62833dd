import RalphSessions
import RalphWire

/// What runs go by.
extension Ingest {
    /// What the runs go by that begin in `reads`: a new one may have another configuration.
    func configurations(ofNewRunsIn reads: [SessionRead]) -> [SessionID: WorkspaceConfig?] {
        var configs: [SessionID: WorkspaceConfig?] = [:]
        for read in reads where catalogue.runs(of: read.id) != read.state.runs {
            guard let session = catalogue.entry(read.id)?.session else { continue }
            configs[read.id] = .some(configuration(of: session))
        }
        return configs
    }

    /// What a run goes by that was given no other one.
    func configuration(of session: DiscoveredSession) -> WorkspaceConfig? {
        WorkspaceConfig.load(
            files: session.configurationFiles, user: settings.discovery.configurations.user)
    }
}
