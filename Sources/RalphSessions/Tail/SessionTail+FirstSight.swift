// Where a session that was never seen begins.
extension SessionTail {
    /// How often the pointer may go on under a first look before it is taken as it is.
    private static let maximumFlips = 8

    /// Sets every file of a session that was never seen to where its newest lines begin.
    ///
    /// All positions are stored with the first lines, so that what began in the middle of a file goes on so.
    func beginWithNewestLines(_ pass: inout ReadPass) {
        unread = unread.filter { TailSource.isAgentOutput($0.key) }
        var (pointed, candidates) = (files.current(), files.all())
        // A run that came and went between the two looks would count as archive.
        for _ in 0..<Self.maximumFlips {
            let again = files.current()
            guard again != pointed else { break }
            (pointed, candidates) = (again, files.all())
        }
        if case .file(let source) = pointed {
            current = source
            candidates.removeAll { $0 == source }
            candidates.append(source)
        }
        // Last, as some may be copies of the others.
        let aside = candidates.filter { $0.isPutAside && $0 != current }
        candidates = aside + candidates.filter { !aside.contains($0) }
        var missing = limits.firstSightLines
        for source in candidates.reversed() {
            // Older files than the oldest line are archive; but what is newer by name must not count as new.
            if missing <= 0, let current, source.rank < current.rank { continue }
            if aside.contains(source), isCopyOfFollowed(source) { continue }
            missing -= beginning(source, newest: max(0, missing), &pass)
            if source == candidates.last, tails[source.key]?.position.offset ?? 0 > 0 {
                noteBeginning(of: source)
            }
        }
    }

    /// Has the narrator see what tells of the lines before those that are read: the file's first one, and the loop state.
    func noteBeginning(of source: TailSource) {
        if let loop = SessionFiles.loopState(of: session) { narrator.noteCost(of: loop) }
        // Whatever is wrong with the file, reading it tells.
        guard let line = try? FirstSight.firstLine(of: source.path) else { return }
        line.withUnsafeBytes { narrator.noteBeginning($0) }
    }

    /// Whether `source` begins with the line that a followed file begins with, which says when it was written.
    private func isCopyOfFollowed(_ source: TailSource) -> Bool {
        guard let line = firstLine(of: source) else { return false }
        return engineSources.contains { firstLine(of: $0) == line }
    }

    /// The fingerprint of the line that a file begins with; `nil`: it is not finished, or cannot be read.
    func firstLine(of source: TailSource) -> UInt64? {
        // What cannot be read is compared with nothing; whoever reads it will say why.
        let line = try? FirstSight.fingerprint(ofFirstLineIn: OpenFile(source.path))
        return line == 0 ? nil : line
    }

    func beginning(_ source: TailSource, newest lines: Int, _ pass: inout ReadPass) -> Int {
        do throws(TailError) {
            let (position, found) = try FirstSight.position(
                before: lines, of: source.path, limits: limits, pool: pool)
            adopt(source, position)
            pass.checkpoints[source.key] = position.encoded
            return found
        } catch {
            pass.note(error, of: source)
            adopt(source, TailPosition())
            if case .notPermitted = error { unread[source.key] = unreadLines(of: source, lines) }
            return 0
        }
    }

    /// Of several runs the newest, and what is newer than the current one, has the `lines`.
    private func unreadLines(of source: TailSource, _ lines: Int) -> Int {
        let isFirst = unread.keys.allSatisfy(TailSource.isAgentOutput)
        let isNewer = current.map { source.rank > $0.rank } == true
        return isFirst || isNewer || source.isAgentOutput ? lines : 0
    }

    /// Begins with the newest lines of a file that might not be read at first sight, once it may.
    ///
    /// Until then ``unread`` has how many.
    ///
    /// - Returns: `false` if it still may not.
    func beginUnread(_ source: TailSource, _ pass: inout ReadPass) -> Bool {
        guard let lines = unread[source.key] else { return true }
        do throws(TailError) {
            let position = try FirstSight.position(
                before: lines, of: source.path, limits: limits, pool: pool
            ).position
            unread[source.key] = nil
            adopt(source, position)
            pass.checkpoints[source.key] = position.encoded
            guard position.offset > 0, !source.isAgentOutput else { return true }
            if source == current { noteBeginning(of: source) }
            storeSizes(firstSizes.merging([source.key: position.offset]) { $1 }, &pass)
        } catch {
            pass.note(error, of: source)
            return false
        }
        return true
    }
}
