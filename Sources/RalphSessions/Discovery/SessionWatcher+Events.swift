import Logging
import RalphWire

/// From inotify events to what must be looked at.
extension SessionWatcher {
    /// Takes what inotify has to say.
    func takeEvents() {
        inotify.readEvents { event in
            if event.flags.contains(.overflow) {
                noteEverything()
            } else if event.flags.contains(.ignored) {
                for reader in watches.forget(event.watch) { lose(reader) }
            } else if let watch = watches.readers(of: event.watch) {
                for reader in watch.readers { take(event, in: watch.path, for: reader) }
            }
        }
    }

    /// Events were lost: only looking at everything tells what happened.
    func noteEverything() {
        logger.debug("The inotify queue was full; looking at everything")
        watches.doubtAll()
        isScanWanted = true
        livenessDue = clock.now
        for (id, session) in followed {
            session.noteEverything()
            enqueue(id, session)
        }
    }

    /// Puts a session into the queue to be read.
    func enqueue(_ id: SessionID, _ session: FollowedSession) {
        guard session.tail != nil, !session.isQueued else { return }
        session.isQueued = true
        queue.append(id)
    }

    /// A watch ended because its directory did; a scan finds what took its place.
    private func lose(_ reader: DirectoryWatches.Reader) {
        isScanWanted = true
        switch reader {
        case .scan: break
        case .session(let id), .agentOutput(let id), .pointed(let id):
            guard let session = followed[id] else { return }
            session.noteEverything()
            enqueue(id, session)
        }
    }

    private func take(_ event: InotifyEvent, in path: String, for reader: DirectoryWatches.Reader) {
        switch reader {
        case .scan(let role):
            if wantsScan(event, role) { isScanWanted = true }
        case .session(let id):
            takeSessionEvent(event, id)
        case .agentOutput(let id):
            guard let session = followed[id] else { return }
            let changed = path.appendingPath(event.name)
            guard session.facts.agentOutput.contains(changed) else { return }
            session.note(changed, isGrowth: event.isGrowth)
            enqueue(id, session)
        case .pointed(let id):
            guard let session = followed[id], let current = session.currentEvents,
                path.appendingPath(event.name).isPath(current)
            else { return }
            session.noteEverything()
            enqueue(id, session)
        }
    }

    private func wantsScan(_ event: InotifyEvent, _ role: ScanResult.Role) -> Bool {
        if event.flags.contains(.deleteSelf) { return true }
        let isDirectory = event.flags.contains(.isDirectory)
        switch role {
        case .layout: return isDirectory || DirectoryListing.matters(event.name)
        case .tree where isDirectory: return !settings.isSkipped(event.name)
        case .leaf where isDirectory: return DiscoverySettings.isLayoutName(event.name)
        case .tree, .leaf: return event.name == SessionDirectory.agentOutputName
        }
    }

    private func takeSessionEvent(_ event: InotifyEvent, _ id: SessionID) {
        guard let session = followed[id] else { return }
        let name = event.name
        let comesOrGoes = !event.flags.isDisjoint(with: .entries)
        switch name {
        case SessionDirectory.lockName, SessionDirectory.suspendStateName, SessionDirectory.stopRequestedName,
            SessionDirectory.pauseRequestedName, SessionDirectory.resumeRequestedName:
            wantLiveness(of: id)
        case SessionDirectory.loopsName:
            let workspace = session.facts.directory.workspace
            for (other, candidate) in followed where candidate.facts.isWorktree(of: workspace) {
                wantLiveness(of: other)
            }
        case SessionDirectory.pointerName, SessionDirectory.loopIDName:
            isScanWanted = true
            session.note(name, isGrowth: event.isGrowth)
            enqueue(id, session)
        case "":
            // The directory itself was deleted, moved or changed its mode.
            isScanWanted = true
            session.noteEverything()
            enqueue(id, session)
        default:
            if comesOrGoes, event.flags.contains(.isDirectory) || DirectoryListing.matters(name) {
                isScanWanted = true
            }
            // The pointer may name a file of any name.
            guard
                SessionDirectory.isEventsFileName(name) || SessionDirectory.isNestedEvidence(name)
                    || session.currentEvents?.isPath(session.facts.directory.file(name)) == true
            else { return }
            session.note(name, isGrowth: event.isGrowth)
            enqueue(id, session)
        }
    }

    private func wantLiveness(of id: SessionID) {
        livenessWanted.insert(id)
        let due = livenessSoon?.due ?? clock.now + .milliseconds(50)
        livenessSoon = (due, (livenessSoon?.sessions ?? []).union([id]))
    }
}
