/// Loads the configuration that a session's runs go by: that of the run that works there once, since a run
/// keeps what it began with; where none is known, what lies in the workspace, whenever it became another one.
struct ConfigurationWatch {
    private let sources: ConfigurationSources
    private let interval: Int64
    /// The run whose configuration counts; `nil`: that of the workspace does.
    private var run: String?
    /// What tells of a new run, as it was when that was asked for.
    private var marks: [EntryStatus?]?
    /// Their paths, which are looked at in each read, for a worktree of this workspace.
    private var marked: (main: String?, files: [String])?
    private var lastLook: Int64?
    private var lastStatus: [EntryStatus?]?
    /// Files that count besides, as the configuration of the workspace imports them.
    private var imports: [String] = []

    /// - Parameter interval: without a run, nothing is looked at more often, in milliseconds.
    init(_ sources: ConfigurationSources, interval: Int64) {
        self.sources = sources
        self.interval = interval
    }

    /// The configuration if it may have changed since the last look; `nil` inside: there is none.
    mutating func changed(for session: DiscoveredSession, now: Int64) -> WorkspaceConfig?? {
        // Nothing else of them changes, and a path is not taken apart for each read.
        if marked == nil || marked?.main != session.worktreeOf {
            marked = (session.worktreeOf, session.runMarks)
        }
        let marks = (marked?.files ?? []).map(EntryStatus.init(at:))
        let isMarked = marks != self.marks
        let isLockSame = marks.first == self.marks?.first
        if !isMarked {
            if run != nil { return nil }
            if let lastLook, (lastLook..<lastLook + interval).contains(now) { return nil }
        }
        self.marks = marks
        lastLook = now
        let isRun = marks.contains { $0 != nil }
        guard isRun, let found = sources.run(session) else {
            // A worktree loop leaves the registry at its end, and whoever writes that empties it for a moment: until
            // another run is known what the last one was started with tells of its rows.
            if run != nil, isLockSame { return nil }
            if run != nil { lastStatus = nil }
            run = nil
            return changedInWorkspace(session)
        }
        guard found.run != run else { return nil }
        do throws(UnreadableFile) {
            let config = try WorkspaceConfig.find(found.configuration, user: sources.user)
            (run, lastStatus) = (found.run, nil)
            return .some(config)
        } catch {
            // What held before goes on to hold, and the next look tries again.
            run = nil
            return nil
        }
    }

    private mutating func changedInWorkspace(_ session: DiscoveredSession) -> WorkspaceConfig?? {
        let files = session.configurationFiles
        let looked = files + [sources.user].compactMap(\.self) + imports
        let status = looked.map(EntryStatus.init(behindLinks:))
        guard status != lastStatus else { return nil }
        do throws(UnreadableFile) {
            let config = try WorkspaceConfig.find(ConfigurationLayers(files: files), user: sources.user)
            let found = config?.importedFiles ?? []
            // How others were before they were read is not known: the next look reads once more.
            lastStatus = found == imports ? status : nil
            imports = found
            return .some(config)
        } catch {
            // As above.
            return nil
        }
    }
}
