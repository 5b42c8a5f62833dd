import Foundation
import RalphWire

// Which files a session reads, and in which order: files of earlier runs first, the current one last.
extension SessionTail {
    /// Milliseconds by which the time of a file may be behind that of a row that was written before it.
    private static let fileTimeSlack: Int64 = 1000

    /// Takes up what the store kept, or begins with the newest lines.
    func begin(_ pass: inout ReadPass) {
        if let saved {
            firstSizes = TailPosition.firstSizes(in: saved.checkpoints)
            for (key, checkpoint) in saved.checkpoints {
                if [SavedTail.iterationsKey, TailPosition.firstSizesKey].contains(key) { continue }
                let source = TailSource(key: key, in: session.directory)
                if isRemovedOutput(source) {
                    forgotten.insert(key)
                    continue
                }
                guard let position = TailPosition(encoded: checkpoint) else {
                    pass.note("The stored position in \(source.path) is of another version; it is read anew.")
                    continue
                }
                adopt(source, position)
            }
            if let row = saved.newestRow { recall(row, now: pass.now) }
            self.saved = nil
        } else {
            isNew = true
            beginWithNewestLines(&pass)
            isUnseen = hasSeenNothing
            for path in session.agentOutput {
                let source = TailSource(agent: path, of: session.directory)
                _ = beginning(source, newest: limits.firstSightLines, &pass)
            }
        }
        leftOver = Set(engineSources.map(\.key))
    }

    /// Has the narrator know of a row that was read in an earlier life. The time of a file that was emptied since is
    /// that of something else.
    func recall(_ row: SavedTail.Row, now: Int64) {
        if row.origin == .agent { return narrator.recallRow(at: min(row.time, now), fileTime: now) }
        guard case .file(let source) = files.current(), let status = EntryStatus(at: source.path),
            status.size > 0
        else { return }
        narrator.recallRow(at: row.time, fileTime: status.modified / 1_000_000)
    }

    /// Begins with the newest lines where the directory could not be read before; `false`: it still cannot, or not all of
    /// its files.
    func beginUnseen(_ pass: inout ReadPass) -> Bool {
        files = EventsFiles(session, secrets: limits.secrets)
        beginWithNewestLines(&pass)
        let keys = engineSources.map(\.key)
        guard !hasSeenNothing, !files.isTroubled, pass.failed.isEmpty else {
            for key in keys { (sources[key], tails[key], pass.checkpoints[key]) = (nil, nil, nil) }
            current = nil
            return false
        }
        isUnseen = false
        leftOver.formUnion(keys)
        return true
    }

    /// Takes up what kept the tail from seeing all files, if anything did.
    func noteTrouble(_ pass: inout ReadPass) -> Bool {
        guard let trouble = files.takeTrouble() else { return false }
        pass.note(trouble.description)
        return true
    }

    /// Whether no events file was found, and the directory may have some: nobody may look.
    private var hasSeenNothing: Bool { engineSources.isEmpty && files.denial != nil }

    /// What the run says of a hook that suspends it, now.
    var suspension: SuspendState? {
        BoundedFile.read(
            session.directory.suspendState, maximumBytes: SuspendState.maximumBytes, isDirect: true
        ).flatMap(SuspendState.init)
    }

    /// Whether the run waits, since `time` (milliseconds since 1970) or later, for what lies between two iterations: a hook
    /// that suspends it, or a person's answer (contract 4.4, 6.5, 6.6).
    func isHeldUp(since time: Int64) -> Bool {
        if suspension?.keepsIteration(from: time) == true { return true }
        let asked: [Int64?] = [
            EntryStatus(at: session.directory.robotQuestion).map { $0.modified / 1_000_000 },
            // What is not known holds nothing up.
            try? TelegramState.askedAt(session.directory.telegramState),
        ]
        // A file's time is that of a coarse clock.
        return asked.contains { $0.map { $0 >= time - Self.fileTimeSlack } ?? false }
    }

    /// Finds out which events files are to be read now, in their order.
    func look(changed: Set<String>?, _ pass: inout ReadPass) -> [TailSource] {
        var due = leftOver
        if let changed {
            for name in changed {
                let key = TailSource.key(ofEventsFile: name)
                if tails[key] != nil { due.insert(key) }
            }
        } else {
            due.formUnion(watchedKeys)
        }
        let hasNewName =
            changed?.contains { SessionDirectory.isEventsFileName($0) && tails[$0] == nil } ?? true
        let isPointed =
            hasNewName || changed?.contains(SessionDirectory.pointerName) == true || current == nil
        // The pointer first: whatever it has pointed to before is in the directory then.
        let pointed = isPointed ? newlyPointed() : nil
        var newer: Set<String> = []
        if hasNewName || pointed.map({ tails[$0.key] == nil }) == true {
            newer = Set(adoptNewerFiles(&pass))
            due.formUnion(newer)
            due.formUnion(adoptGrownFiles(changed, pointed: pointed?.key, &pass))
        }
        // Once it is followed, older files that were not seen would count as archive.
        if let pointed, tails[pointed.key] != nil || !files.isTroubled {
            due.formUnion(follow(pointed, &pass))
        }
        if !returning.isEmpty { returning = returning.filter { pass.failed.contains($0.key) } }
        due = due.filter { !TailSource.isAgentOutput($0) && !isCopyAgain($0) }
        return ordered(due, newer: newer)
    }

    /// Whether a file that was followed is gone and a copy of the main workspace's stands at its path: in a worktree that
    /// was made anew under the same name, while the main one's file is called the same.
    private func isCopyAgain(_ key: String) -> Bool {
        guard session.worktreeOf != nil, let source = sources[key], files.isCopy(key),
            source != current || !files.hasOwnLoop(), let status = EntryStatus(at: source.path)
        else { return false }
        return FileIdentity(status) != tails[key]?.position.identity
    }

    /// The output that is due, one run after the other: that of the workspace where its time says, among those of runs that
    /// this server started.
    var agentDueInOrder: [TailSource] {
        guard agentDue.count > 1 else { return agentDue.compactMap { sources[$0] } }
        let plain = session.directory.workspace.appendingPath(SessionDirectory.agentOutputName)
        func time(_ path: String) -> Int64 { EntryStatus(at: path)?.modified ?? 0 }
        var paths = session.agentOutput.filter { !$0.isPath(plain) }
        let plainTime = time(plain)
        paths.insert(plain, at: paths.firstIndex { time($0) > plainTime } ?? paths.endIndex)
        let order = paths.map { TailSource(agent: $0, of: session.directory).key }
        let due = agentDue.map { (place: order.firstIndex(of: $0) ?? -1, key: $0) }
        return due.sorted { ($0.place, $0.key) < ($1.place, $1.key) }.compactMap { sources[$0.key] }
    }

    /// Lets go of the output of runs that was removed: runs are many, and nothing of these comes back. What is in the
    /// workspace may, and is read to its end first.
    func forgetRemovedOutput() {
        for (key, source) in sources where isRemovedOutput(source) {
            sources[key] = nil
            tails[key] = nil
            agentDue.remove(key)
            leftOver.remove(key)
            forgotten.insert(key)
        }
        // Its last lines may have come just before.
        for (key, source) in sources where source.isAgentOutput && tails[key]?.isOpen == true {
            let isKept = session.agentOutput.contains(where: source.path.isPath(_:))
            if !isKept, EntryStatus.isAbsent(source.path) { agentDue.insert(key) }
        }
    }

    /// Has the rest of `source` read next time.
    func postpone(_ source: TailSource, _ pass: inout ReadPass) {
        leftOver.insert(source.key)
        // Nothing newer is read before this is: the order of the lines is the order of the runs.
        pass.budget = 0
        if !source.isAgentOutput { pass.hasMore = true }
    }

    /// Whether `source` was output kept outside of the workspace, by whoever started the run, and is no more.
    private func isRemovedOutput(_ source: TailSource) -> Bool {
        source.isAgentOutput && !session.agentOutput.contains(where: source.path.isPath(_:))
            && !source.path.isPath(inside: session.directory.workspace) && EntryStatus.isAbsent(source.path)
    }

    /// Begins to follow `source` at `position`.
    func adopt(_ source: TailSource, _ position: TailPosition) {
        sources[source.key] = source
        tails[source.key] = EventTail(
            path: source.path, position: position, isOutput: source.isAgentOutput, limits: limits, pool: pool)
    }

    /// Begins to follow `source` at its first byte, or behind what it had as part of the archive, which it is no more;
    /// has that stored.
    ///
    /// - Returns: `false` if it has to be tried again.
    @discardableResult
    func adoptNew(_ source: TailSource, _ pass: inout ReadPass) -> Bool {
        var position = TailPosition()
        // One that was not there when the archive was listed has what it had at first sight.
        if let end = archive?[source.key] ?? firstSizes[source.key], end > 0 {
            let marks = FirstSight.Marks(of: source.key, in: firstSizes)
            do throws(TailError) {
                position = try FirstSight.position(
                    behind: end, of: source.path, marks: marks, limits: limits, pool: pool)
            } catch .missing {
                // It may be put back behind the pointer to it; what else comes at its path is told then.
                return false
            } catch {
                guard case .returning = error, !isWaitedFor(source) else {
                    pass.note(error, of: source)
                    return false
                }
            }
            if position.offset == 0 { forgetFirstSight(of: source, &pass) }
        }
        archive?[source.key] = nil
        adopt(source, position)
        pass.checkpoints[source.key] = position.encoded
        return true
    }

    /// The file that the pointer points to, if that is another one than before.
    private func newlyPointed() -> TailSource? {
        guard case .file(let source) = files.current(), source != current else { return nil }
        // Without a pointer it is only what is left: a file that was moved out of the way was told under its old name.
        if session.directory.layout == .ralph, source.isPutAside, tails[source.key] == nil,
            EntryStatus.isAbsent(session.directory.pointerFile),
            let line = firstLine(of: source), tails.values.contains(where: { $0.position.firstLine == line })
        {
            return nil
        }
        return source
    }

    /// Follows the pointer to another file, the end of the one before included.
    private func follow(_ source: TailSource, _ pass: inout ReadPass) -> Set<String> {
        var due: Set<String> = [source.key]
        if let current { due.insert(current.key) }
        if tails[source.key] == nil, !adoptNew(source, &pass) { return [] }
        current = source
        closeUnwatched(except: due)
        return due
    }

    /// Takes up files that appeared since the last look and are newer by name than all known ones. Older ones are
    /// archive: runs that were over before the session was seen, or files that were put back. Only the pointer makes
    /// one of these a run, which the clock may have dated back.
    private func adoptNewerFiles(_ pass: inout ReadPass) -> [String] {
        let newest = engineSources.map(\.rank).max()
        let isFirst = archive == nil
        var known = archive ?? [:]
        var marks: [String: Int64] = [:]
        var (new, late): ([TailSource], [TailSource]) = ([], [])
        let all = files.all()
        guard !files.isTroubled else { return [] }
        for source in all where tails[source.key] == nil && known[source.key] == nil {
            // Without a pointer `events.jsonl` is what is written to.
            let isOld = newest.map { source.rank <= $0 && (isFirst || !source.rank.isEmpty) } ?? false
            guard isOld || source.isPutAside else {
                new.append(source)
                continue
            }
            known[source.key] = firstSizes[source.key] ?? 0
            if isFirst, isNew { known[source.key] = firstSight(of: source, in: all, &marks) }
            if known[source.key] == 0 { late.append(source) }
        }
        archive = known
        if isFirst, isNew {
            for source in engineSources {
                if let offset = tails[source.key]?.position.offset, offset > 0 { known[source.key] = offset }
            }
            if !known.isEmpty { storeSizes(known.merging(marks) { $1 }, &pass) }
        }
        noteLatecomers(late, &pass)
        for source in new { adoptNew(source, &pass) }
        return new.map(\.key)
    }

    /// Has the sizes at first sight stored: of the archive, for those that are written or pointed to later, and of what is
    /// followed, for whoever reads what was before (``TailPosition/firstSizes(in:)``).
    func storeSizes(_ sizes: [String: Int64], _ pass: inout ReadPass) {
        firstSizes = sizes
        do {
            pass.checkpoints[TailPosition.firstSizesKey] = Array(try JSONEncoder().encode(sizes))
        } catch {
            pass.note("The sizes of events files at first sight cannot be stored: \(error)")
        }
    }

    /// Takes up that the content of `source` is read from its beginning, or is shorter: what comes behind that has numbers,
    /// and does not lie before the first sight.
    func noteOffset(of source: TailSource, _ pass: inout ReadPass) {
        guard let size = firstSizes[source.key], let offset = tails[source.key]?.position.offset,
            offset < size
        else { return }
        var sizes = firstSizes
        sizes[source.key] = offset > 0 ? offset : nil
        storeSizes(sizes, &pass)
    }

    /// Takes up those of the `changed` files of the archive, or of all of them, that have more than when the session was
    /// first seen, or when they came later, and what is more is no copy's.
    ///
    /// - Parameter pointed: what the pointer names now, which is told whole if it came later.
    private func adoptGrownFiles(
        _ changed: Set<String>?, pointed: String?, _ pass: inout ReadPass
    ) -> [String] {
        let names = changed ?? Set((archive ?? [:]).keys)
        return names.filter { name in
            guard let end = archive?[name] else { return false }
            let source = TailSource(key: name, in: session.directory)
            let isLate = end == 0 && name != pointed
            let late = isLate ? FirstSight.Latecomer(of: name, in: firstSizes) : nil
            // A copy that is made anew grows as well.
            guard end > 0 || late != nil, !source.isPutAside, let status = EntryStatus(at: source.path),
                status.size > late?.size ?? end, late == nil || status.size != lateSizes[name],
                !isFollowed(source, status)
            else { return false }
            if let late, !endArchive(of: source, late, &pass) { return false }
            return adoptNew(source, &pass)
        }
    }

    /// Whether this very file is followed under another name (link(2)). The number of one that is gone may be another
    /// file's by now.
    private func isFollowed(_ source: TailSource, _ status: EntryStatus) -> Bool {
        tails.values.lazy.map(\.position).contains { position in
            position.identity == status.identity
                && (!position.isMissing || position.firstLine == firstLine(of: source))
        }
    }

    /// The files that a full look looks at: the newest ones and the current one.
    private var watchedKeys: [String] {
        let newest = engineSources.sorted { $0.rank > $1.rank }.prefix(limits.watchedFiles)
        return newest.map(\.key) + (current.map { [$0.key] } ?? [])
    }

    /// Closes the files of earlier runs that are no longer looked at; one that changes is opened again.
    private func closeUnwatched(except due: Set<String>) {
        guard tails.count > limits.watchedFiles else { return }
        let open = Set(watchedKeys).union(due)
        for source in engineSources where !open.contains(source.key) { tails[source.key]?.closeFile() }
    }

    var engineSources: [TailSource] { sources.values.filter { !$0.isAgentOutput } }

    /// - Parameter newer: files that appeared since the last look. One that is newer than the current one is of a run
    ///   that the pointer did not name yet when it was read.
    private func ordered(_ keys: Set<String>, newer: Set<String>) -> [TailSource] {
        let found = keys.compactMap { sources[$0] }
        guard found.count > 1 else { return found }
        let tier = { (source: TailSource) -> Int in
            guard let current = self.current, source != current else { return 1 }
            return newer.contains(source.key) && source.rank > current.rank ? 2 : 0
        }
        return found.sorted { left, right in
            (tier(left), left.rank, left.key) < (tier(right), right.rank, right.key)
        }
    }
}
