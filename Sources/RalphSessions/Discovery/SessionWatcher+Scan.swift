import Logging
import RalphWire

/// Scanning the roots, and what follows from it.
extension SessionWatcher {
    /// Looks at all roots when it is time to: at once when something came or went, else, and where that takes long, a few
    /// directories in each step, so that events do not wait for what most likely has not changed.
    func scanIfDue(_ step: inout WatchStep) {
        let start = clock.now
        let isAllowed = start >= scanAllowed
        if isAllowed, !scanner.isWalking { isScanAhead = false }
        var isWanted = isScanWanted && (isAllowed || isScanUrgent && !isScanAhead)
        if isWanted, lastReport.duration > settings.shortScan {
            // Behind the walk that goes on, which has passed what is new.
            if !scanner.isWalking {
                lookDue = min(lookDue, start)
                (isScanWanted, isScanUrgent, isScanAhead) = (false, false, !isAllowed)
            }
            isWanted = false
        }
        if isWanted || start >= lookDue && followed.isEmpty {
            (isScanWanted, isScanUrgent, isScanAhead) = (false, false, !isAllowed)
            take(scanner.scan(), since: start, isRegular: start >= lookDue, &step)
        } else if start >= lookDue {
            let result = scanner.advance(directories: settings.scannedPerStep)
            scanDuration += clock.now - start
            guard let result else { return }
            take(result, since: clock.now - scanDuration, isRegular: true, &step)
        }
    }

    /// Sessions come, change and go.
    ///
    /// - Parameter start: when the scan would have begun if it had been made without a pause.
    private func take(
        _ result: ScanResult, since start: ContinuousClock.Instant, isRegular: Bool, _ step: inout WatchStep
    ) {
        follow(result, &step)
        let isNewlyWatched = watch(result)
        // Those that wait come first, however long that takes.
        if isRegular, looksDue.isEmpty { looksDue = Array(followed.keys) }
        step.report = report(result, duration: clock.now - start)
        let end = clock.now
        let pause = max(.milliseconds(50), (end - start) * 4)
        scanAllowed = end + pause
        // What inotify does not tell of directories is seen by scans alone, and still soon.
        let isAlone = lastReport.unwatchedDirectories > 0 || lastReport.silentSessions > 0
        let interval = isAlone ? .seconds(1) : settings.rescanInterval
        let nextLook = end + max(pause, min(settings.rescanInterval, interval))
        if isRegular || isAlone && nextLook < lookDue { lookDue = nextLook }
        // What happened in a directory before its watch was there is found by one more scan.
        if isNewlyWatched { isScanWanted = true }
        scanDuration = .zero
    }

    private func follow(_ result: ScanResult, _ step: inout WatchStep) {
        var seen: Set<SessionID> = []
        seen.reserveCapacity(result.sessions.count)
        for found in result.sessions {
            seen.insert(found.facts.id)
            if let session = followed[found.facts.id] {
                update(session, found, &step)
            } else {
                followed[found.facts.id] = FollowedSession(found)
                newcomers.append(found.facts.id)
                newcomersSeen += 1
            }
        }
        guard seen.count < followed.count else { return }
        for (id, session) in followed where !seen.contains(id) && !session.isLeaving {
            let path = session.facts.directory.path
            let isUncertain = result.isTruncated || result.couldNotSee(path)
            if isUncertain, !EntryStatus.isAbsent(path) { continue }
            session.isLeaving = true
            session.noteEverything()
            if session.tail == nil {
                forget(id, session)
                step.gone.append(id)
            } else {
                enqueue(id, session)
            }
        }
        newcomers.removeAll { followed[$0] == nil }
    }

    private func update(_ session: FollowedSession, _ found: ScanResult.Session, _ step: inout WatchStep) {
        session.isLeaving = false
        if session.currentEvents != found.currentEvents {
            session.currentEvents = found.currentEvents
            session.noteEverything()
            enqueue(found.facts.id, session)
        }
        if session.pointedDirectory != found.pointedDirectory {
            if let old = session.pointedDirectory { watches.remove(.pointed(found.facts.id), from: old) }
            session.pointedDirectory = found.pointedDirectory
        }
        guard session.facts != found.facts else { return }
        for old in session.facts.agentOutput where !found.facts.agentOutput.contains(old) {
            watches.remove(.agentOutput(found.facts.id), from: Self.parent(of: old))
        }
        session.facts = found.facts
        guard let tail = session.tail else { return }
        step.changed.append(found.facts)
        tail.session = found.facts
        session.noteEverything()
        enqueue(found.facts.id, session)
    }

    /// Ends everything that is held for a session.
    func forget(_ id: SessionID, _ session: FollowedSession) {
        watches.remove(.session(id), from: session.facts.directory.path)
        for path in session.facts.agentOutput {
            watches.remove(.agentOutput(id), from: Self.parent(of: path))
        }
        if let pointed = session.pointedDirectory { watches.remove(.pointed(id), from: pointed) }
        followed[id] = nil
        readAgain[id] = nil
        polled.remove(id)
        alive.remove(id)
        livenessWanted.remove(id)
        livenessAsked.remove(id)
    }

    /// Watches what should be watched. Gives whether a directory is watched that was not before.
    private func watch(_ result: ScanResult) -> Bool {
        var isNew = false
        // Those that could not be looked at are what they were.
        polled = polled.filter { followed[$0].map { !$0.isLeaving } ?? false }
        // Sessions come first: when watches are short, new directories wait for the next scan instead.
        for found in result.sessions {
            guard let session = followed[found.facts.id] else { continue }
            session.reach = watch(session, found.identity, &isNew)
            if session.isPolled { polled.insert(found.facts.id) } else { polled.remove(found.facts.id) }
        }
        watchDirectories(result, &isNew)
        return isNew
    }

    private func watch(
        _ session: FollowedSession, _ identity: FileIdentity, _ isNew: inout Bool
    ) -> DirectoryWatches.Reach {
        let id = session.facts.id
        var isNewHere = false
        var reach = watches.add(
            .session(id), to: session.facts.directory.path, identity: identity, isNew: &isNewHere)
        for path in session.facts.agentOutput {
            let directory = Self.parent(of: path)
            let added = watches.add(.agentOutput(id), to: directory, isNew: &isNewHere)
            // In one that is gone nothing comes.
            if added != .nothing || !EntryStatus.isAbsent(directory) { reach = min(reach, added) }
        }
        if let pointed = session.pointedDirectory {
            reach = min(reach, watches.add(.pointed(id), to: pointed, isNew: &isNewHere))
        }
        if isNewHere {
            isNew = true
            session.noteEverything()
            enqueue(id, session)
        }
        return reach
    }

    private func watchDirectories(_ result: ScanResult, _ isNew: inout Bool) {
        let limit = (settings.maximumWatches ?? InotifyWatcher.systemLimit) / 2
        var wanted: [PathKey: ScanResult.Role] = [:]
        var unwatched = result.missingRoots
        let sessions = Set(result.sessions.map { PathKey($0.facts.directory.path) })
        for directory in result.directories where !sessions.contains(PathKey(directory.path)) {
            var reach = DirectoryWatches.Reach.nothing
            if wanted.count < limit {
                reach = watches.add(
                    .scan(directory.role), to: directory.path, identity: directory.identity, isNew: &isNew)
            }
            if reach != .everything { unwatched += 1 }
            if reach != .nothing { wanted[PathKey(directory.path)] = directory.role }
        }
        for (key, role) in scannedPaths where wanted[key] != role {
            watches.remove(.scan(role), from: key.path)
        }
        scannedPaths = wanted
        lastReport.unwatchedDirectories = unwatched
    }

    private func report(_ result: ScanResult, duration: Duration) -> DiscoveryReport {
        var report = DiscoveryReport()
        report.roots = result.roots
        report.sessions = result.sessions.count
        report.directories = result.directories.count
        report.unreadable = result.unreadable
        report.unreadableCount = result.unreadableCount
        report.unreadableRoots = result.unreadableRoots
        report.skippedLinks = result.skippedLinks
        report.isTruncated = result.isTruncated
        report.polled = polled
        report.unwatched = polled.filter { followed[$0]?.reach == .nothing }
        report.unwatchedDirectories = lastReport.unwatchedDirectories
        report.inotifyUnavailable = inotify.unavailableReason
        report.duration = duration
        if report.isTruncated, !lastReport.isTruncated {
            logger.warning(
                "More sessions or directories exist than are followed",
                metadata: ["sessions": "\(report.sessions)", "directories": "\(report.directories)"])
        }
        if report.inotifyUnavailable == nil { tellPolling(report) }
        lastReport = report
        return report
    }

    private func tellPolling(_ report: DiscoveryReport) {
        // Twice in a row: a directory that is about to be made cannot be watched either.
        if report.unwatched.isEmpty { isPollingTold = false }
        if !isPollingTold, !report.unwatched.isDisjoint(with: lastReport.unwatched) {
            isPollingTold = true
            logger.warning(
                "Some sessions are polled: no inotify watch is left for a directory of theirs, or it does not exist",
                metadata: ["sessions": "\(report.unwatched.count)"])
        }
        if !isSilenceTold, report.silentSessions > 0 {
            isSilenceTold = true
            logger.notice(
                "Some sessions are polled because others may change their file system untold",
                metadata: ["sessions": "\(report.silentSessions)"])
        }
    }

    private static func parent(of path: String) -> String {
        path.pathParts?.parent ?? "/"
    }
}
