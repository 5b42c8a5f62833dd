import Foundation
import RalphSessions
import RalphWire

/// Which run a command is for.
extension SessionController {
    /// The record of the run that is alive, or paused by its end; made here for a run that was started elsewhere.
    ///
    /// - Throws: ``ControlError/readOnly``, ``ControlError/notRunning(status:)``,
    ///   ``ControlError/foreignProcess(pid:uid:)``, ``ControlError/starting``.
    func requireRun() async throws(ControlError) -> RunRecord {
        try requireWritable()
        await look()
        return try await requireRun(facts())
    }

    /// - Parameter facts: of this moment; what they found alive may end meanwhile.
    func requireRun(_ facts: RunFacts) async throws(ControlError) -> RunRecord {
        var facts = facts
        if !facts.isAlive, let phase = record?.phase, phase != .halted, phase != .ended {
            // It has ended since: whether it is paused by that, another look says.
            await look()
            facts = self.facts()
        }
        guard facts.isAlive else {
            if let record, record.phase == .halted, !isGone { return record }
            throw .notRunning(status: endedStatus(facts.observation.endReason))
        }
        try requireOwn(facts)
        // Its files still tell of the run before.
        if record?.isLaunching == true { throw .starting }
        if let reason = endedReason(facts), record?.phase != .pausing {
            // With `--rpc` and an open standard input its process stays (contract header).
            throw .notRunning(status: endedStatus(reason))
        }
        if let record, record.phase != .ended,
            facts.holder == nil || record.process.map(facts.showEnd) == false
        {
            return record
        }
        var record = record ?? RunRecord(session: session.id, directory: session.directory.path)
        adopt(facts, &record)
        try save(record)
        // It may wait already, of which nobody was told.
        await look()
        return self.record ?? record
    }

    /// Whether the session's layout is not known: nothing is ever written to it.
    var isReadOnly: Bool { session.isReadOnly || session.directory.layout == .unknown }

    func requireWritable() throws(ControlError) {
        guard !isReadOnly else { throw .readOnly }
    }

    /// Only the run of this server's user is signalled.
    func requireOwn(_ facts: RunFacts) throws(ControlError) {
        if let pid = facts.hidden { throw .foreignProcess(pid: pid, uid: nil) }
        try requireOwn(facts.holder ?? record?.process)
    }

    /// Only processes of this server's user are signalled, also by a server that might signal any.
    func requireOwn(_ process: ProcessIdentity?, user: uid_t = geteuid()) throws(ControlError) {
        guard let process, let uid = process.uid, uid != user else { return }
        throw .foreignProcess(pid: process.pid, uid: uid)
    }

    /// The status word of a run that is over (http-contract 3.1).
    func endedStatus(_ reason: String?) -> String {
        reason.map(TerminateRow.status(ofReason:)) ?? (record?.exit == nil ? "idle" : "error")
    }

    /// Goes where `input` leads and stores that; then the caller acts.
    func advance(_ record: inout RunRecord, _ input: RunState.Input) throws(ControlError) -> [RunState.Action]
    {
        var state = RunState(record.phase)
        let actions = state.handle(input)
        if actions.contains(.refuseSuperseded) { throw .superseded }
        if actions.contains(.refuseNotRunning) {
            throw .notRunning(status: endedStatus(facts().observation.endReason))
        }
        record.phase = state.phase
        return actions
    }

    /// Looks every few milliseconds until `condition` holds.
    ///
    /// - Returns: whether it does; `false` at the end of `limit`.
    func wait(_ limit: Duration, until condition: () -> Bool) async -> Bool {
        let deadline = ContinuousClock.now + limit
        while !condition() {
            guard ContinuousClock.now < deadline else { return false }
            await Pace.rest(Pace.look)
        }
        return true
    }
}
