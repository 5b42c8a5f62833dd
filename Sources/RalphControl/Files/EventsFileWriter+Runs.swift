import Foundation
import RalphSessions

/// What the newest rows say, and the row that a killed run owes.
extension EventsFileWriter {
    /// How the last run stands by its rows.
    enum LastRun: Equatable {
        /// No row of a run is there.
        case none
        /// It began and did not say that it ended.
        case open
        /// Its `loop.terminate` says so; the line after `## Reason`.
        case ended(reason: String)

        /// The reason of an ended run.
        var reason: String? { if case .ended(let reason) = self { reason } else { nil } }
    }

    /// A run that wrote so much since its start and no end is going on: the end is at the end.
    private static let maximumRunBytes: Int64 = 64 << 20
    /// How much may stand behind the end of a run whose process is alive still.
    private static let maximumRestBytes: Int64 = 2 << 20
    /// How far back repeats are looked for: two rows of the largest steering text.
    private static let maximumRepeatBytes: Int64 = 16 << 20

    /// Whether the last run has its `loop.terminate`. Unreadable counts as `none`.
    func lastRun() -> LastRun {
        var found = LastRun.none
        // An unsafe or unreadable file says nothing, and whoever writes to it will say why it is refused.
        let isThere = try? linesFromEnd(maximumBytes: Self.maximumRunBytes) { line in
            found = .open
            return Self.marks(in: line).allSatisfy { row in
                if row.isEnd { found = .ended(reason: TerminateRow.reason(in: row.payload ?? "")) }
                return !row.isEnd && !row.isStart
            }
        }
        return isThere == true ? found : .none
    }

    /// The reason of the last run's `loop.terminate`, if that was written at `time` or later (milliseconds since 1970)
    /// and little stands behind it; `nil`: the run that began then is not over.
    func endReason(since time: Int64) -> String? {
        var reason: String?
        // As in `lastRun`.
        _ = try? linesFromEnd(maximumBytes: Self.maximumRestBytes) { line in
            Self.marks(in: line).allSatisfy { row in
                if row.isEnd, row.time.map({ $0 >= time }) == true {
                    reason = TerminateRow.reason(in: row.payload ?? "")
                }
                return !row.isEnd && !row.isStart
            }
        }
        return reason
    }

    /// Why the run that began at `time` (milliseconds since 1970) had ended when the row with `marker` was appended, just
    /// now; `nil`: it had not.
    func endReason(since time: Int64, before marker: String) -> String? {
        var reason: String?
        var isPassed = false
        // As in `lastRun`.
        _ = try? linesFromEnd(maximumBytes: Self.maximumRestBytes) { line in
            let rows = isPassed ? Self.marks(in: line) : EventRow.newestFirst(in: line)
            return rows.allSatisfy { row in
                if row.id == marker {
                    isPassed = true
                    return true
                }
                if isPassed, row.isEnd, row.time.map({ $0 >= time }) == true {
                    reason = TerminateRow.reason(in: row.payload ?? "")
                }
                return !row.isEnd && !row.isStart
            }
        }
        return reason
    }

    /// When the last run began or was continued, by its row; milliseconds since 1970, `nil` if none says so.
    func lastStart() -> Int64? {
        var time: Int64?
        // As in `lastRun`.
        _ = try? linesFromEnd(maximumBytes: Self.maximumRunBytes) { line in
            guard let start = Self.marks(in: line).first(where: \.isStart) else { return true }
            time = start.time
            return false
        }
        return time
    }

    /// When the current events file was last written, milliseconds since 1970; `nil`: there is none.
    var writtenAt: Int64? {
        // As in `lastRun`.
        (try? currentPath()).flatMap { EntryStatus(behindLinks: $0) }.map { $0.modified / 1_000_000 }
    }

    /// Appends a `loop.terminate` unless the last run has one that Ralph finds; without a run there is
    /// nothing to end.
    ///
    /// - Parameter reason: of a run that did not say one itself.
    /// - Returns: whether one was appended.
    @discardableResult
    func terminateLastRun(reason: String, at now: Int64) throws(ControlError) -> Bool {
        switch lastRun() {
        case .none: return false
        case .open: try append(EventRow.terminate(reason: reason, at: now))
        case .ended(let told):
            guard isEndHidden() else { return false }
            try append(EventRow.terminate(reason: told, isAgain: true, at: now))
        }
        return true
    }

    /// What a person said during the last iteration of the run that has ended, oldest first, and that is not said again behind
    /// its end: a run that its stop file ends leaves it unread, and `--continue` reads only what is behind the end
    /// (contract 4.2, 4.5).
    ///
    /// - Parameter waits: whether the run waits for an answer, which is the first one behind the summary of the iteration that
    ///   asked; that one it has.
    func unreadWords(ofOneThatWaits waits: Bool) throws(ControlError) -> [EventRow] {
        var rows: [EventRow] = []
        var (ends, summaries) = (0, 0)
        var isBehindEnd = false
        // The summary of the last iteration comes behind its rows; one that was interrupted has none.
        var isInterrupted = false
        var again: Set<String> = []
        // Those before it are newer than the last row that is not a person's.
        var newer = 0
        _ = try linesFromEnd(maximumBytes: Self.maximumRunBytes) { line in
            EventRow.newestFirst(in: line).allSatisfy { row in
                // An end that Ralph does not find is told twice.
                if row.isEnd, !isBehindEnd {
                    ends += 1
                    isInterrupted = TerminateRow.reason(in: row.payload ?? "") == "interrupted"
                }
                isBehindEnd = row.isEnd
                if row.isSummary, ends > 0 { summaries += 1 }
                if row.isSummary, waits,
                    let answer = rows[newer...].lastIndex(where: { $0.topic == "human.response" })
                {
                    rows.remove(at: answer)
                }
                if !row.isOfUser { newer = rows.count }
                guard !row.isStart, ends < 2, summaries < (isInterrupted ? 1 : 2) else { return false }
                if row.isOfUser, let id = row.id {
                    if ends == 0 { again.insert(id) } else if !again.contains(id) { rows.append(row) }
                }
                return true
            }
        }
        return rows.reversed()
    }

    /// Whether the newest row ends a run on a line that Ralph skips, since it is more than one row (contract
    /// 2.4). Behind rows that are there for the next run it cannot be told again: they would count as read.
    private func isEndHidden() -> Bool {
        var isHidden = false
        // As in `lastRun`.
        _ = try? linesFromEnd(maximumBytes: Self.maximumRestBytes) { line in
            guard let newest = EventRow.newestFirst(in: line).first else { return true }
            isHidden = newest.isEnd && EventRow(line) == nil
            return false
        }
        return isHidden
    }

    /// How many of the newest events of this run, one after the other, have `topic` and a payload that
    /// `isEqual` accepts: three equal ones in a row end the run (contract 2.5). A continuation begins with what stands behind
    /// the end before it.
    ///
    /// - Parameter uncounted: topics that Ralph takes before it counts.
    func repeats(of topic: String, uncounted: Set<String> = [], _ isEqual: (String?) -> Bool) -> Int {
        var count = 0
        // What cannot be read cannot be counted; the append that follows will say why.
        _ = try? linesFromEnd(maximumBytes: Self.maximumRepeatBytes) { line in
            // What Ralph skips it does not count, but a run can end there.
            guard let row = EventRow(line) else { return !Self.marks(in: line).contains(where: \.isEnd) }
            // Ralph drops its own summaries before it counts.
            if row.topic == "iteration.summary" || row.isStart || uncounted.contains(row.topic) {
                return true
            }
            guard row.topic == topic, isEqual(row.payload) else { return false }
            count += 1
            return true
        }
        return count
    }

    /// Whether Ralph itself wrote down an answer at `time` or later (milliseconds since 1970).
    func holdsAnswer(since time: Int64) -> Bool {
        var isFound = false
        // As in `lastRun`.
        _ = try? linesFromEnd(maximumBytes: Self.maximumRestBytes) { line in
            EventRow.newestFirst(in: line).allSatisfy { row in
                guard row.time.map({ $0 >= time }) ?? true else { return false }
                if row.topic == "human.response", !row.isOfUser { isFound = true }
                return !isFound
            }
        }
        return isFound
    }

    /// The rows of a line, newest first, if one of them can be the start or the end of a run; parsing every
    /// line of a long run would cost.
    private static func marks(in line: [UInt8]) -> [EventRow] {
        guard ByteSearch.holds(line[...], "loop.terminate") || ByteSearch.holds(line[...], "\"loop\"") else {
            return []
        }
        return EventRow.newestFirst(in: line)
    }
}
