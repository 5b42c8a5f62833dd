import RalphWire

/// Which sessions a workspace holds: the rules of every layout (contract 1.1, 1.2; http-contract 15.2).
extension SessionScanner {
    /// So many worktrees may lie in one another; nobody makes more, whatever is mounted where.
    static let maximumWorktreeLevels = 4

    /// The sessions of one workspace, those of its worktrees included.
    mutating func sessions(of look: WorkspaceLook, into result: inout ScanResult) -> [ScanResult.Session] {
        var found: [ScanResult.Session] = []
        let ralph = look.path.appendingPath(SessionDirectory.ralphName)
        let listing =
            look.listing.has(directory: SessionDirectory.ralphName)
            ? list(ralph, .layout, into: &result) : nil
        let main = main(look, listing)
        if let listing {
            found += ralphSession(ralph, listing, main.loopID, look, into: &result)
            found += nestedSessions(ralph, listing, look, into: &result)
        }
        if look.main == nil || !result.couldNotSee(ralph),
            let agent = agentSession(look, beside: found, into: &result)
        {
            found.append(agent)
        }
        found += unknownSessions(look, into: &result)
        if look.level < Self.maximumWorktreeLevels,
            look.listing.has(directory: SessionDirectory.worktreesName)
        {
            found += worktreeSessions(main, into: &result)
        }
        return found
    }

    /// The workspace in whose `.worktrees/` the one at `path` lies; `nil` if this walk has been neither there nor in one that
    /// it is a worktree of itself: then nobody lists what may be copied.
    mutating func main(of path: String, into result: inout ScanResult) -> WorkspaceLook.MainWorkspace? {
        guard let workspace = SessionDirectory.mainWorkspace(ofWorktree: path) else { return nil }
        let main = main(of: workspace, into: &result)
        guard main != nil || hasListed(workspace), let listing = list(workspace, .leaf, into: &result) else {
            return nil
        }
        let look = WorkspaceLook(path: workspace, listing: listing, main: main)
        let ralph = workspace.appendingPath(SessionDirectory.ralphName)
        return self.main(
            look,
            listing.has(directory: SessionDirectory.ralphName) ? list(ralph, .layout, into: &result) : nil)
    }

    /// What is known of a workspace with this `.ralph/`, for the worktrees in it.
    private mutating func main(_ look: WorkspaceLook, _ ralph: DirectoryListing?)
        -> WorkspaceLook.MainWorkspace
    {
        let loopID = look.path.appendingPath(SessionDirectory.ralphName) + "/" + SessionDirectory.loopIDName
        return WorkspaceLook.MainWorkspace(
            path: look.path, level: look.level, listing: look.listing,
            places: (look.main?.places ?? []) + [identity(of: look.path)],
            loopID: ralph == nil ? nil : loopIDs.value(at: loopID),
            eventsFiles: Set(ralph?.files.filter(SessionDirectory.isEventsFileName) ?? []),
            isUnreadable: ralph == nil && look.listing.has(directory: SessionDirectory.ralphName))
    }

    private mutating func ralphSession(
        _ path: String, _ listing: DirectoryListing, _ loopID: String?, _ look: WorkspaceLook,
        into result: inout ScanResult
    ) -> [ScanResult.Session] {
        guard listing.files.contains(where: SessionDirectory.isRalphEvidence) else { return [] }
        let directory = SessionDirectory(path: path, workspace: look.path, layout: .ralph)
        let pointer = pointers.value(at: directory.pointerFile)
        let events = listing.files.filter(SessionDirectory.isEventsFileName)
        if look.main?.isUnreadable == true, loopID.map(SessionDirectory.isPrimaryLoopID) ?? true {
            result.note(unreadable: path, "The main workspace's cannot be compared with it.")
            return []
        }
        if let main = look.main,
            Self.isNamedAsCopy(loopID: loopID, pointer: pointer, events: events, of: main)
        {
            do throws(TailError) {
                guard try !isCopy(directory, files: pointer.map { [$0] } ?? events, of: main) else {
                    return []
                }
            } catch {
                result.note(unreadable: path, error.description)
                return []
            }
        }
        let pointed = pointer.flatMap { directory.eventsPath(pointer: $0) }.map { path in
            // What changes is the file, wherever in the workspace a link to it lies.
            guard EntryStatus(at: path)?.kind == .link, let file = path.canonicalPath,
                file.isPath(inside: look.path)
            else { return path }
            return file
        }
        let fallback =
            listing.has(file: SessionDirectory.plainEventsName)
            ? SessionDirectory.plainEventsName : events.last
        let facts = facts(directory, loopID: loopID, look)
        return [session(facts, currentEvents: pointed ?? fallback.map(directory.eventsFile(named:)))]
    }

    /// Whether a worktree's `.ralph` may only hold what git's checkout or Ralph's start copied from the main one, as far
    /// as names tell.
    ///
    /// Loops of worktrees have names of their own, so a `primary-…` there is suspect as long as the main
    /// workspace still has its events file, also after the main one went on to another run (contract 1.2).
    private static func isNamedAsCopy(
        loopID: String?, pointer: String?, events: [String], of main: WorkspaceLook.MainWorkspace
    ) -> Bool {
        if let loopID {
            if loopID == main.loopID { return true }
            guard SessionDirectory.isPrimaryLoopID(loopID) else { return false }
            if let name = pointer?.split(separator: "/").last {
                return main.eventsFiles.contains(String(name))
            }
        }
        return events.allSatisfy(main.eventsFiles.contains)
    }

    /// Whether the `files` of a `.ralph` that is named as a copy are the main one's, and no run works there.
    ///
    /// - Parameter files: names, or paths that end in one, of events files.
    private mutating func isCopy(
        _ directory: SessionDirectory, files: [String], of main: WorkspaceLook.MainWorkspace
    ) throws(TailError) -> Bool {
        let original = SessionDirectory(workspace: main.path)
        // Its lock file is a copy too, unless a run took it: that may have written no row yet.
        if let lock = lockRecords.value(at: directory.lockFile), lock.livingPID != nil,
            lock != lockRecords.value(at: original.lockFile)
        {
            return false
        }
        let names = files.compactMap { $0.split(separator: "/").last.map(String.init) }
        for name in names where main.eventsFiles.contains(name) {
            guard try checkoutCopies.isCopy(directory.file(name), of: original.file(name)) else {
                return false
            }
        }
        return true
    }

    private mutating func nestedSessions(
        _ ralph: String, _ listing: DirectoryListing, _ look: WorkspaceLook, into result: inout ScanResult
    ) -> [ScanResult.Session] {
        guard listing.has(directory: SessionDirectory.nestedName) else { return [] }
        let parent = ralph + "/" + SessionDirectory.nestedName
        var found: [ScanResult.Session] = []
        for name in list(parent, .layout, into: &result)?.directories ?? [] {
            let path = parent + "/" + name
            guard let files = list(path, .layout, into: &result)?.files,
                let events = files.last(where: SessionDirectory.isNestedEvidence)
            else { continue }
            let directory = SessionDirectory(path: path, workspace: look.path, layout: .nested)
            guard !isCopied(events, of: directory, look, into: &result) else { continue }
            let facts = DiscoveredSession(
                directory: directory, worktreeOf: look.main?.path,
                agentOutput: settings.agentOutput(directory))
            found.append(session(facts, currentEvents: directory.eventsFile(named: events)))
        }
        return found
    }

    /// - Parameter others: newer sessions of the workspace. The output of its runs is theirs, and so is an events file that
    ///   the pointer of one names: nothing is read twice. In a worktree one beside them came with git's checkout, since an
    ///   old Ralph makes none.
    private mutating func agentSession(
        _ look: WorkspaceLook, beside others: [ScanResult.Session], into result: inout ScanResult
    ) -> ScanResult.Session? {
        guard look.listing.has(directory: SessionDirectory.agentName), others.isEmpty || look.main == nil
        else { return nil }
        let path = look.path.appendingPath(SessionDirectory.agentName)
        guard let listing = list(path, .layout, into: &result),
            listing.has(file: SessionDirectory.plainEventsName)
        else { return nil }
        let directory = SessionDirectory(path: path, workspace: look.path, layout: .agent)
        let events = directory.plainEventsFile
        guard !others.contains(where: { $0.currentEvents?.isPath(events) == true }),
            !isCopied(SessionDirectory.plainEventsName, of: directory, look, into: &result)
        else { return nil }
        // Of a `.ralph/` that cannot be looked at nobody knows whether a session is in it.
        let ralph = look.path.appendingPath(SessionDirectory.ralphName)
        guard others.isEmpty, !result.couldNotSee(ralph) else {
            let facts = DiscoveredSession(
                directory: directory, worktreeOf: look.main?.path,
                agentOutput: settings.agentOutput(directory))
            return session(facts, currentEvents: events)
        }
        return session(facts(directory, loopID: nil, look), currentEvents: events)
    }

    /// Whether the events file `name` of a session in a worktree came with the checkout: the main workspace has the same
    /// one at the same place. One that cannot be compared counts as a copy, and is noted.
    private mutating func isCopied(
        _ name: String, of directory: SessionDirectory, _ look: WorkspaceLook, into result: inout ScanResult
    ) -> Bool {
        let file = directory.file(name)
        guard let main = look.main, let original = file.path(below: look.path).map(main.path.appendingPath)
        else { return false }
        guard let status = EntryStatus(at: original) else {
            if EntryStatus.isAbsent(original) { return false }
            result.note(unreadable: directory.path, "The main workspace's cannot be compared with it.")
            return true
        }
        guard status.kind == .file else { return false }
        do throws(TailError) {
            return try checkoutCopies.isCopy(file, of: original)
        } catch {
            result.note(unreadable: directory.path, error.description)
            return true
        }
    }

    /// Directories of a layout that we can name but not read.
    private mutating func unknownSessions(
        _ look: WorkspaceLook, into result: inout ScanResult
    ) -> [ScanResult.Session] {
        var found: [ScanResult.Session] = []
        // Of these nobody knows what a run writes first: in a worktree one that the main workspace has, too, is a copy.
        for name in SessionDirectory.unknownNames.sorted()
        where look.listing.has(directory: name) && look.main?.listing.has(directory: name) != true {
            let path = look.path.appendingPath(name)
            guard let listing = list(path, .layout, into: &result),
                listing.files.contains(where: { $0.hasSuffix(".jsonl") }),
                // A project that merely is called so has a session in itself.
                !listing.has(directory: SessionDirectory.ralphName),
                !listing.has(directory: SessionDirectory.agentName)
            else { continue }
            let directory = SessionDirectory(path: path, workspace: look.path, layout: .unknown)
            found.append(
                session(DiscoveredSession(directory: directory, isReadOnly: true), currentEvents: nil))
        }
        return found
    }

    private mutating func worktreeSessions(
        _ main: WorkspaceLook.MainWorkspace, into result: inout ScanResult
    ) -> [ScanResult.Session] {
        let parent = main.path.appendingPath(SessionDirectory.worktreesName)
        var found: [ScanResult.Session] = []
        for name in list(parent, .tree, into: &result)?.directories ?? [] {
            let path = parent + "/" + name
            guard let listing = list(path, .leaf, into: &result) else { continue }
            // What is mounted in itself is no worktree.
            guard !main.places.contains(identity(of: path)) else { continue }
            found += sessions(of: WorkspaceLook(path: path, listing: listing, main: main), into: &result)
        }
        return found
    }

    private mutating func facts(
        _ directory: SessionDirectory, loopID: String?, _ look: WorkspaceLook
    ) -> DiscoveredSession {
        var output: [String] = []
        if look.listing.has(file: SessionDirectory.agentOutputName) {
            let file = look.path.appendingPath(SessionDirectory.agentOutputName)
            if !isCopiedOutput(file, look) { output.append(file) }
        }
        for path in settings.agentOutput(directory) where !output.contains(where: path.isPath(_:)) {
            output.append(path)
        }
        return DiscoveredSession(
            directory: directory, loopID: loopID, worktreeOf: look.main?.path, agentOutput: output)
    }

    /// Whether `file` is the output of a run in the main workspace: a worktree starts with copies of its untracked files
    /// (contract 1.2), and they stay copies when that one is put away.
    private mutating func isCopiedOutput(_ file: String, _ look: WorkspaceLook) -> Bool {
        guard let main = look.main else { return false }
        do throws(TailError) {
            return try checkoutCopies.isCopy(
                file, in: look.path, of: main.path, atFirstSight: main.hasAgentOutput)
        } catch {
            return main.hasAgentOutput
        }
    }

    private func session(_ facts: DiscoveredSession, currentEvents: String?) -> ScanResult.Session {
        let parent = currentEvents?.pathParts?.parent
        return ScanResult.Session(
            facts: facts, currentEvents: currentEvents,
            pointedDirectory: parent.flatMap { $0.isPath(facts.directory.path) ? nil : $0 },
            identity: identity(of: facts.directory.path))
    }
}
