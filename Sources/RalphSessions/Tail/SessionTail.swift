import Foundation
package import Logging
import RalphWire

/// Reads all files of one session and turns their lines into events, each line once.
///
/// Owned by the ingest thread; nothing waits in here. From the same checkpoints and the same files the same
/// events come out again, so that a read whose result was never stored may simply be repeated.
package final class SessionTail {
    /// The facts may change, the directory may not.
    package var session: DiscoveredSession {
        didSet {
            files = EventsFiles(session, secrets: limits.secrets)
            narrator.follow(session)
            forgetRemovedOutput()
        }
    }
    let limits: TailLimits
    let pool: FilePool
    var files: EventsFiles
    var saved: SavedTail?
    /// Everything that is tailed, events files and output of runs.
    var tails: [String: EventTail] = [:]
    var sources: [String: TailSource] = [:]
    /// The events file that runs write to now.
    var current: TailSource? {
        didSet { narrator.currentFile = current?.key }
    }
    /// Names of events files that are not read, as they are older than others, and behind how many bytes to begin should
    /// that change: what they had when the session was first seen. `nil`: not looked yet.
    var archive: [String: Int64]?
    /// The same as it was stored when the session was first seen, with fingerprints, and how far what is followed was not read.
    var firstSizes: [String: Int64] = [:]
    /// What files of the archive that came later had when they were looked through in vain.
    var lateSizes: [String: Int64] = [:]
    /// Files of the archive that are waited for, by their keys.
    var returning: [String: ReturningFile] = [:]
    /// The session was never seen before this tail.
    var isNew = false
    /// Nor could its directory be read since.
    var isUnseen = false
    /// What the last read did not come to the end of.
    var leftOver: Set<String> = []
    private(set) var hasBegun = false
    /// Until when the last read for a run that is over is repeated, as not all rows could be read, for a reason that will pass.
    private var lastUntil: Int64?
    /// The last read could not see everything; the next one looks at everything.
    private var looksAgain = false
    var narrator: SessionNarrator
    /// The iterations as they are stored.
    private var storedIterations: [IterationRecord]
    private var configuration: ConfigurationWatch
    /// Output of runs that changed and is not read yet.
    var agentDue: Set<String> = []
    /// Keys of sources that are gone for good and whose checkpoints are to be removed.
    var forgotten: Set<String> = []
    private var agentReadAt: Int64?
    /// Of an iteration.
    private var heldStart = Hold<SessionNarrator.HeldStart>()
    /// Of an iteration, by the run's output.
    private var heldEnd = Hold<HeldEnd>()
    /// The end of a stopped run.
    private var heldStop = Hold<HeldStop>()
    /// That files which were read before may not be read any more.
    private var heldDenial = Hold<Void>()
    /// After how many milliseconds what could not be read is tried again, though no file changes.
    private static let retryDelay: Int64 = 1000
    /// For how many milliseconds a session is tried to be begun with all of its files, and until when it is.
    private static let beginningPatience: Int64 = 30_000
    private var triedUntil: Int64 = .max
    /// Files that might not be read at first sight, and how many of their newest lines count.
    var unread: [String: Int] = [:]
    /// As the last read told.
    private var problems: [String] = []
    /// Of these, what is wrong with sources, by their keys.
    private var errors: [String: String] = [:]
    private var unreadableLog: String?
    private let logger: Logger

    /// - Parameters:
    ///   - saved: what the store kept; `nil`: the session was never seen and begins with its newest lines.
    ///   - pool: shared by all sessions of a thread, so that its bound holds for all of them together.
    package init(
        session: DiscoveredSession, saved: SavedTail?, limits: TailLimits, logger: Logger,
        pool: FilePool? = nil, configurations: ConfigurationSources = ConfigurationSources()
    ) {
        self.session = session
        self.saved = saved
        self.limits = limits
        self.logger = logger
        self.pool = pool ?? FilePool(limits: limits)
        files = EventsFiles(session, secrets: limits.secrets)
        let state = saved?.wholeState ?? SessionState()
        narrator = SessionNarrator(state: state, workspace: nil)
        if let saved { narrator.encoder.clock = saved.clock }
        // The very same array, so that comparing them costs nothing until one changes.
        storedIterations = saved?.checkpoints[SavedTail.iterationsKey] == nil ? [] : state.iterations
        configuration = ConfigurationWatch(
            configurations, interval: limits.configurationInterval)
        narrator.follow(session)
    }

    /// Reads what is new.
    ///
    /// - Parameters:
    ///   - changed: names, relative to the session directory, that changed; output of a run by its path or
    ///     its last component. `nil`: look at everything.
    ///   - isGrowth: the changed ones were only written to, so that what is open is what stands at their paths.
    ///   - isLast: output of runs is read before events files, and however short ago that was done: nobody writes it any
    ///     more, and what it holds came before the end of the run.
    ///   - budget: about how many bytes to read at most.
    ///   - now: milliseconds since 1970.
    package func read(
        changed: Set<String>?, isGrowth: Bool = false, isLast: Bool = false, budget: Int, now: Int64
    ) -> SessionRead {
        let revision = narrator.state.revision
        var changed = looksAgain ? nil : changed
        let isLast = isLast || lastUntil.map { now < $0 } == true
        // What an earlier read left over may be behind a change of another kind.
        let hasOnlyGrown = isGrowth && changed != nil && leftOver.isEmpty && agentDue.isEmpty
        var pass = ReadPass(budget: max(1, budget), now: now, isGrowth: hasOnlyGrown, isLast: isLast)
        let wasBegun = hasBegun
        hasBegun = wasBegun || beginAll(&pass)
        guard hasBegun else { return beginLater(pass) }
        if isUnseen && beginUnseen(&pass) || !wasBegun { changed = nil }
        let due = isUnseen ? [] : look(changed: changed, &pass)
        leftOver = []
        // Something could not be seen, or what was found could not be followed.
        looksAgain = noteTrouble(&pass) || pass.failed.contains { tails[$0] == nil }
        if looksAgain { pass.readAgain(at: now + Self.retryDelay) }
        read(due, changed: changed, &pass)
        if !pass.isConfigured { configure(&pass) }
        // What cannot be read is tried again, and keeps nobody waiting.
        let isToEnd = !pass.hasMore && agentDue.isSubset(of: pass.failed)
        if !pass.hasMore, agentDue.isEmpty { releaseEnd(&pass) }
        if !pass.hasMore, !pass.isHeldUp { releaseStart(&pass) }
        lastUntil = isLast && pass.isHeldUp ? min(lastUntil ?? .max, now + limits.permissionWait) : nil
        if isLast, isToEnd, lastUntil == nil {
            narrator.releaseEnd(into: &pass.batch)
            narrator.releaseStop(into: &pass.batch)
        } else {
            releaseStop(&pass, isToEnd: isToEnd)
        }
        // One that is back meanwhile has begun anew.
        for key in forgotten where tails[key] == nil { pass.checkpoints[key] = [] }
        forgotten = []
        let problemsChanged = tell(pass)
        if !pass.hasMore, agentDue.isEmpty { narrator.beginSigns() }
        pass.hasMore = pass.hasMore || isLast && !isToEnd
        return result(of: &pass, since: revision, problemsChanged: problemsChanged)
    }

    /// Takes up the session's files; `false` if not all of them could be seen, and that is to be tried again.
    private func beginAll(_ pass: inout ReadPass) -> Bool {
        begin(&pass)
        triedUntil = min(triedUntil, pass.now + Self.beginningPatience)
        // What was stored is taken up once, whatever can be seen.
        let isBlind = noteTrouble(&pass) && isNew
        return !isBlind && pass.failed.isEmpty || pass.now >= triedUntil
    }

    /// Reads what is due of events files, and the output of runs: behind them, or before them if nobody writes it any more.
    private func read(_ due: [TailSource], changed: Set<String>?, _ pass: inout ReadPass) {
        // Rows of the next run would come before what an end waits for.
        if pass.isLast || narrator.heldStop?.isForOutput == true && !due.isEmpty {
            agentReadAt = nil
            readAgentOutput(changed: changed, &pass)
        }
        for source in due { read(source, &pass) }
        if !pass.isLast { readAgentOutput(changed: changed, &pass) }
        if !pass.isDenied { heldDenial.end() }
        guard !pass.failed.isEmpty else { return }
        for key in pass.failed where sources[key]?.isAgentOutput == true { agentDue.insert(key) }
        leftOver.formUnion(pass.failed)
        pass.readAgain(at: pass.now + Self.retryDelay)
    }

    /// Has the narrator go by what the session's runs go by now.
    ///
    /// Looked at behind the bytes of each read, as a run writes its lock, which tells its configuration, before its first row.
    private func configure(_ pass: inout ReadPass) {
        pass.isConfigured = true
        if let config = configuration.changed(for: session, now: pass.now) { narrator.workspace = config }
    }

    /// What a pass came to; the state was at `revision` before it.
    private func result(
        of pass: inout ReadPass, since revision: Int, problemsChanged: Bool = false
    ) -> SessionRead {
        storeIterations(&pass)
        return SessionRead(
            id: session.id, batch: pass.batch, checkpoints: pass.checkpoints, state: narrator.state,
            stateChanged: narrator.state.revision != revision, hasMore: pass.hasMore,
            readAgainAt: pass.readAgainAt, problems: problems, unreadableLog: unreadableLog,
            problemsChanged: problemsChanged, figures: narrator.takeFigures(now: pass.now),
            skipped: narrator.takeSkipped())
    }

    /// Has the iterations stored if they changed: beside the state, most of whose changes are none of theirs.
    private func storeIterations(_ pass: inout ReadPass) {
        let iterations = narrator.state.iterations
        guard iterations != storedIterations else { return }
        pass.checkpoints[SavedTail.iterationsKey] = iterations.stored
        storedIterations = iterations
    }

    /// Takes up what a read could not read; whether it is something else than before.
    private func tell(_ pass: ReadPass) -> Bool {
        // As nearly always.
        if pass.problems.isEmpty, pass.errors.isEmpty, errors.isEmpty, files.problem == nil {
            defer { (problems, unreadableLog) = ([], nil) }
            return !problems.isEmpty
        }
        errors.merge(pass.errors) { $1 }
        var found = pass.problems + (files.problem.map { [$0] } ?? [])
        found += errors.sorted { $0.key < $1.key }.map(\.value)
        unreadableLog = errors.first { !TailSource.isAgentOutput($0.key) }?.value
        // What is not followed is tried again, and says so again.
        errors = errors.filter { sources[$0.key] != nil }
        found = Array(found.prefix(SessionRead.maximumProblems))
        guard found != problems else { return false }
        problems = found
        for problem in found {
            logger.debug("A session file is a problem", metadata: ["problem": "\(problem)"])
        }
        return true
    }

    /// Makes events of what the control side says; no file is looked at.
    ///
    /// For a session that has been read: what is noted comes behind all that was read so far. Like a read,
    /// it must be stored before the next one is.
    /// - Parameters:
    ///   - isLast: nothing is read any more, so that the end of a stopped run waits for nothing.
    ///   - now: milliseconds since 1970.
    package func note(_ notes: [ControlNote], isLast: Bool = false, now: Int64) -> SessionRead {
        let revision = narrator.state.revision
        var pass = ReadPass(budget: 1, now: now)
        for note in notes { narrator.note(note, into: &pass.batch) }
        if isLast { narrator.releaseStop(into: &pass.batch) }
        // The files may tell already that no iteration starts.
        if narrator.dueStart != nil { pass.readAgain(at: now + narrator.startDelay) }
        if narrator.heldEnd != nil { pass.readAgain(at: now + SessionNarrator.endDelay) }
        if let stop = narrator.heldStop { pass.readAgain(at: now + stop.delay) }
        return result(of: &pass, since: revision)
    }

    /// Has an iteration start that was held long enough.
    private func releaseStart(_ pass: inout ReadPass) {
        guard let start = narrator.dueStart else { return heldStart.end() }
        let due = heldStart.hold(start, for: narrator.startDelay, now: pass.now, isSame: ==)
        guard pass.now >= due else { return pass.readAgain(at: due) }
        if isHeldUp(since: start.time) {
            narrator.heldStartKeptUntil = pass.now
            return pass.readAgain(at: pass.now + Self.retryDelay)
        }
        heldStart.end()
        narrator.releaseStart(isDue: true, into: &pass.batch)
    }

    /// Has an end be told that was held long enough.
    private func releaseEnd(_ pass: inout ReadPass) {
        guard let end = narrator.heldEnd else { return heldEnd.end() }
        let due = heldEnd.hold(end, for: SessionNarrator.endDelay, now: pass.now) { $0.isSame(as: $1) }
        guard pass.now >= due else { return pass.readAgain(at: due) }
        heldEnd.end()
        narrator.releaseEnd(into: &pass.batch)
    }

    /// Has the end of a stopped run be told that was held long enough.
    private func releaseStop(_ pass: inout ReadPass, isToEnd: Bool) {
        guard let stop = narrator.heldStop, stop.isForOutput != true || isToEnd else { return heldStop.end() }
        // A better reason is no other stop.
        var due = heldStop.hold(stop, for: narrator.delay(at: pass.now), now: pass.now) { $0.time == $1.time }
        // Rows of the run may be among what waits for a file.
        if pass.isHeldUp { due += limits.permissionWait }
        guard pass.now >= due else { return pass.readAgain(at: due) }
        heldStop.end()
        narrator.releaseStop(into: &pass.batch)
    }

    /// Forgets what was begun with while a file could not be read: where its newest lines begin is not known yet.
    private func beginLater(_ pass: ReadPass) -> SessionRead {
        tails = [:]
        sources = [:]
        current = nil
        let problemsChanged = tell(pass)
        return SessionRead(
            id: session.id, batch: EventBatch(), checkpoints: [:], state: narrator.state, stateChanged: false,
            hasMore: false, readAgainAt: pass.now + Self.retryDelay, problems: problems,
            unreadableLog: unreadableLog, problemsChanged: problemsChanged,
            figures: narrator.takeFigures(now: pass.now))
    }

    /// Reads one source within what is left of the budget.
    private func read(_ source: TailSource, _ pass: inout ReadPass) {
        guard beginUnread(source, &pass), let tail = tails[source.key] else { return }
        guard source.isAgentOutput || !pass.isHeldUp else {
            // What cannot be read for a moment comes first, when it can.
            leftOver.insert(source.key)
            return
        }
        guard pass.budget > 0 else { return postpone(source, &pass) }
        let before = tail.position
        if !errors.isEmpty { errors[source.key] = nil }
        do throws(TailError) {
            var (progress, left) = (EventTail.Progress.more, 0)
            repeat {
                let (planned, made) = (min(pass.budget, limits.readBytes), pass.batch.bytes.count)
                left = planned
                pass.isConfigured = false
                progress = try tail.readAvailable(upTo: &left, isGrowth: pass.isGrowth) { item in
                    take(item, from: source, generation: tail.generation, time: tail.fileTime, &pass)
                }
                pass.spend(planned - left, behind: made)
            } while progress == .more && left <= 0 && pass.budget > 0
            if progress == .more { postpone(source, &pass) }
        } catch {
            // Of a file that somebody cuts when its run is over no row is missing that others would have to come behind.
            pass.note(error, of: source, holdsUp: source == current || !tail.isCutInPlace)
            if case .notPermitted = error, before.identity != .none, !source.isAgentOutput {
                noteDenial(of: source, at: before, &pass)
            }
        }
        let position = tail.position
        if position != before { pass.checkpoints[source.key] = position.encoded }
    }

    /// The right to read `source` was taken away, and may be given back, as when a workspace cannot be entered for a while:
    /// what is newer waits for it, but not for long, and not where the end of a run waits for that.
    private func noteDenial(of source: TailSource, at before: TailPosition, _ pass: inout ReadPass) {
        let status = EntryStatus(at: source.path)
        // Nothing of it is missing.
        if let status, status.identity == before.identity, status.size == before.offset { return }
        pass.isDenied = true
        let due = heldDenial.hold((), for: limits.permissionWait, now: pass.now) { _, _ in true }
        if pass.now < due, !pass.isLast { return pass.holdUp(for: source) }
        // Whenever it can be read, it comes first.
        leftOver.insert(source.key)
    }

    private func take(
        _ item: TailItem, from source: TailSource, generation: Int, time: Int64, _ pass: inout ReadPass
    ) {
        switch item {
        case .line(let line, let offset):
            if !pass.isConfigured { configure(&pass) }
            if source.isAgentOutput {
                narrator.readAgentLine(
                    line, file: source.key, generation: generation, offset: offset, fileTime: time,
                    into: &pass.batch)
            } else {
                narrator.readEngineLine(
                    line, file: source.key, generation: generation, offset: offset, fileTime: time,
                    into: &pass.batch)
            }
        case .overlongLine(let bytes, let offset):
            narrator.skipOverlongLine(
                bytes: bytes, file: source.key, offset: offset, now: pass.now, into: &pass.batch)
        case .change(let change):
            // It may end what an earlier life left; the bytes behind it are not read yet.
            configure(&pass)
            pass.isConfigured = false
            noteOffset(of: source, &pass)
            narrator.noteFileChange(change, file: source.key, now: pass.now, into: &pass.batch)
        case .lostLine(let bytes, _):
            pass.note("\(source.path) went away before its last line was finished; \(bytes) bytes are lost.")
        }
    }
}

// MARK: - Output of runs

extension SessionTail {
    /// Reads the output of runs, unless that was done a moment ago.
    private func readAgentOutput(changed: Set<String>?, _ pass: inout ReadPass) {
        for path in session.agentOutput {
            let source = TailSource(agent: path, of: session.directory)
            if changed.map({ source.isNamed(in: $0) }) ?? true { agentDue.insert(source.key) }
            if tails[source.key] == nil { adoptNew(source, &pass) }
        }
        // What was waited for may be there by now, whether or not somebody told.
        if let end = heldEnd.value(heldFor: SessionNarrator.endDelay, now: pass.now) {
            agentDue.insert(end.file)
        }
        guard !agentDue.isEmpty, !pass.hasMore else { return }
        if let agentReadAt, (agentReadAt..<agentReadAt + limits.agentOutputInterval).contains(pass.now) {
            return pass.readAgain(at: agentReadAt + limits.agentOutputInterval)
        }
        agentReadAt = pass.now
        for source in agentDueInOrder {
            read(source, &pass)
            narrator.finishAgentRead(into: &pass.batch)
        }
        agentDue = leftOver.filter(TailSource.isAgentOutput)
        if !agentDue.isEmpty { pass.readAgain(at: pass.now + limits.agentOutputInterval) }
    }
}
