import RalphControl
import RalphWire

/// What is stored of a session's run: the controller's record, and what the server itself adds up beside it.
struct StoredRun: Sendable, Codable, Equatable {
    var record: RunRecord
    /// Files with the output of this session's runs that are kept, oldest first, absolute paths.
    var outputs: [String] = []
    /// Milliseconds for which the run's process was suspended, up to its last resume.
    var pausedMilliseconds: Int64 = 0
    /// Since when it is suspended, milliseconds since 1970.
    var pausedSince: Int64?
    /// Up to when its last suspension was counted, milliseconds since 1970; optional, so that older records decode.
    var suspendedThrough: Int64?
    /// Since when it is paused by its end, milliseconds since 1970; optional, so that older records decode.
    var haltedSince: Int64?
    /// What had elapsed when the run was paused by its end, milliseconds; a continued run counts on from here.
    var carriedMilliseconds: Int64 = 0
    /// When that was, milliseconds since 1970: only what ran later is added.
    var carriedAt: Int64?
    /// ``carriedMilliseconds`` of a run that was paused by its end when another one came in its place, and is so again should
    /// that come to nothing; optional, so that older records decode.
    var keptMilliseconds: Int64?
    /// Somebody purged the session: it is not shown until a run works in it again.
    var isForgotten = false
    /// When that was, milliseconds since 1970: a run that began later worked in it; optional, so that older records
    /// decode.
    var forgottenAt: Int64?

    init(record: RunRecord) {
        self.record = record
        if let output = record.output { outputs = [output] }
    }

    /// Takes a new record over.
    ///
    /// - Parameter elapsed: what the run took so far, milliseconds.
    /// - Returns: the pauses that this ends or begins, to be stored with it.
    @discardableResult
    mutating func take(_ new: RunRecord, elapsed: Int64, now: Int64) -> FigureDays {
        let before = self
        takeRecord(new, elapsed: elapsed, now: now)
        let isFollowed = new.startedAt != before.record.startedAt
        if [.halted, .resuming].contains(new.phase) {
            // One that came about unseen began before this look; what another pause has counted is not counted again.
            let isFirst = before.record.phase == .pausing && before.pausedSince == nil && !isFollowed
            let begin = isFirst ? min(now, new.pause?.effectiveAt ?? now) : now
            haltedSince = before.haltedSince ?? (new.phase == .halted ? begin : nil)
        } else {
            haltedSince = nil
        }
        var figures = FigureDays()
        // What was suspended when nobody looked any more, and is followed by another run, lasted until it was last seen.
        let lastSeen = max(before.record.seenAt ?? .min, before.pausedSince ?? now)
        let suspensionEnd = isFollowed ? min(now, lastSeen) : Self.end(of: new, now)
        figures.move(
            \.suspendedMilliseconds, from: before.pausedSince, to: pausedSince, now: suspensionEnd)
        figures.move(\.haltedMilliseconds, from: before.haltedSince, to: haltedSince, now: now)
        return figures.folded(now: now)
    }

    private mutating func takeRecord(_ new: RunRecord, elapsed: Int64, now: Int64) {
        let old = record
        var back: Int64?
        // A continued run keeps its start; another one is counted anew, but one that is paused again goes on.
        if new.startedAt != old.startedAt {
            let carried = old.phase == .halted ? carriedMilliseconds : nil
            back = keptMilliseconds
            self = StoredRun(record: new, keeping: outputs)
            keptMilliseconds = carried
        }
        record = new
        if let output = new.output, outputs.last != output {
            outputs.removeAll { $0 == output }
            outputs = (outputs + [output]).suffix(RunLauncher.keptRuns)
        }
        switch new.phase {
        case .suspended:
            // One that was counted when a command began that failed goes on from there.
            let counted = min(now, suspendedThrough ?? .min)
            pausedSince = pausedSince ?? max(new.pause?.effectiveAt ?? now, counted)
        case .halted:
            guard old.phase != .halted else { break }
            endSuspension(now)
            (carriedMilliseconds, carriedAt, pausedMilliseconds) = (back ?? elapsed, now, 0)
        case .running, .pausing, .stopping, .ended: endSuspension(Self.end(of: new, now))
        case .starting, .resuming: break
        }
        if new.phase == .starting || new.phase == .running { isForgotten = false }
    }

    /// When a suspension ends with `record`: a process that is over may have been so for a while.
    private static func end(of record: RunRecord, _ now: Int64) -> Int64 {
        record.phase == .ended ? min(now, record.exit?.at ?? now) : now
    }

    private init(record: RunRecord, keeping outputs: [String]) {
        self.record = record
        self.outputs = outputs
    }

    private mutating func endSuspension(_ now: Int64) {
        guard let since = pausedSince else { return }
        pausedMilliseconds += max(0, now - since)
        (pausedSince, suspendedThrough) = (nil, now)
    }
}

extension FigureDays {
    /// Counts what went on since `old` up to `now`, if it is over, and notes that it goes on since `new`.
    fileprivate mutating func move(
        _ path: WritableKeyPath<Figures, Int64>, from old: Int64?, to new: Int64?, now: Int64
    ) {
        guard old != new else { return }
        if let old {
            addSpan(path, from: old, to: now)
            close(path, since: old)
        }
        if let new { open(path, at: new) }
    }
}
