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
        let isThere = try? rowsFromEnd(maximumBytes: Self.maximumRunBytes) { line in
            found = .open
            guard Self.mayMark(line), let row = EventRow(line) else { return true }
            if row.topic == "loop.terminate" {
                found = .ended(reason: TerminateRow.reason(in: row.payload ?? ""))
                return false
            }
            return !row.isStart
        }
        return isThere == true ? found : .none
    }

    /// The reason of the last run's `loop.terminate`, if that was written at `time` or later (milliseconds since 1970)
    /// and little stands behind it; `nil`: the run that began then is not over.
    func endReason(since time: Int64) -> String? {
        var reason: String?
        // As in `lastRun`.
        _ = try? rowsFromEnd(maximumBytes: Self.maximumRestBytes) { line in
            guard Self.mayMark(line), let row = EventRow(line) else { return true }
            if row.topic == "loop.terminate", row.time.map({ $0 >= time }) == true {
                reason = TerminateRow.reason(in: row.payload ?? "")
            }
            return row.topic != "loop.terminate" && !row.isStart
        }
        return reason
    }

    /// Why the run that began at `time` (milliseconds since 1970) had ended when the row with `marker` was appended, just
    /// now; `nil`: it had not.
    func endReason(since time: Int64, before marker: String) -> String? {
        var reason: String?
        var isPassed = false
        // As in `lastRun`.
        _ = try? rowsFromEnd(maximumBytes: Self.maximumRestBytes) { line in
            if !isPassed, String(decoding: line, as: UTF8.self).contains(marker) {
                isPassed = true
                return true
            }
            guard Self.mayMark(line), let row = EventRow(line) else { return true }
            guard row.topic == "loop.terminate" else { return !row.isStart }
            if isPassed, row.time.map({ $0 >= time }) == true {
                reason = TerminateRow.reason(in: row.payload ?? "")
            }
            return false
        }
        return reason
    }

    /// When the last run began or was continued, by its row; milliseconds since 1970, `nil` if none says so.
    func lastStart() -> Int64? {
        var time: Int64?
        // As in `lastRun`.
        _ = try? rowsFromEnd(maximumBytes: Self.maximumRunBytes) { line in
            guard Self.mayMark(line), let row = EventRow(line), row.isStart else { return true }
            time = row.time
            return false
        }
        return time
    }

    /// Appends a `loop.terminate` unless the last run has one; without a run there is nothing to end.
    ///
    /// - Returns: whether one was appended.
    @discardableResult
    func terminateLastRun(reason: String, at now: Int64) throws(ControlError) -> Bool {
        guard lastRun() == .open else { return false }
        try append(EventRow.terminate(reason: reason, at: now))
        return true
    }

    /// How many of the newest events of this run, one after the other, have `topic` and a payload that
    /// `isEqual` accepts: three equal ones in a row end the run (contract 2.5).
    func repeats(of topic: String, _ isEqual: (String?) -> Bool) -> Int {
        var count = 0
        // What cannot be read cannot be counted; the append that follows will say why.
        _ = try? rowsFromEnd(maximumBytes: Self.maximumRepeatBytes) { line in
            guard let row = EventRow(line) else { return true }
            // Ralph drops its own summaries before it counts.
            if row.topic == "iteration.summary" { return true }
            guard row.topic == topic, !row.isStart, isEqual(row.payload) else { return false }
            count += 1
            return true
        }
        return count
    }

    /// Whether a line can be the start or the end of a run; parsing every line of a long run would cost.
    private static func mayMark(_ line: [UInt8]) -> Bool {
        contains(line, "loop.terminate") || contains(line, "\"loop\"") && !contains(line, "iteration.summary")
    }

    private static func contains(_ line: [UInt8], _ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        return line.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return false }
            var start = 0
            while start + count <= bytes.count {
                let rest = bytes.count - count + 1 - start
                guard let hit = memchr(base + start, Int32(word.utf8Start[0]), rest) else { return false }
                if memcmp(hit, word.utf8Start, count) == 0 { return true }
                start = UnsafeRawPointer(hit) - base + 1
            }
            return false
        }
    }
}
