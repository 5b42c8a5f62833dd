import Foundation
import RalphSessions
import RalphWire

/// The files in a session directory by which Ralph is asked for something (contract 4.2 to 4.6).
///
/// Nothing is kept open: the directory may be deleted and made again. Every call opens it, checks that it is
/// still where it was, and reaches its entries through the descriptor.
struct ControlFiles {
    let directory: SessionDirectory

    init(_ directory: SessionDirectory) { self.directory = directory }

    // MARK: Pause gate

    /// Makes the gate file: a run with our hook suspends before its next iteration (contract 4.4).
    func requestPause() throws(ControlError) { try create(directory.pauseRequested) }

    /// Removes the gate file; whether it was there.
    @discardableResult
    func withdrawPause() throws(ControlError) -> Bool { try remove(directory.pauseRequested) }

    /// Whether the gate file is there.
    var isPauseRequested: Bool { isThere(directory.pauseRequested) }

    /// Whether the gate file is surely not there.
    var lacksPause: Bool { lacks(directory.pauseRequested) }

    // MARK: Stop

    /// Whether the stop file is surely not there.
    var lacksStop: Bool { lacks(directory.stopRequested) }

    /// Makes the stop file: the run ends at the boundary of its iteration (contract 4.2).
    func requestStop() throws(ControlError) { try create(directory.stopRequested) }

    /// Removes the stop file; `false`: it was not there, because Ralph has honoured it, for instance.
    @discardableResult
    func withdrawStop() throws(ControlError) -> Bool { try remove(directory.stopRequested) }

    // MARK: Resume

    /// Makes the file that lets a suspended run go on; it appears in one step (contract 4.4).
    func requestResume() throws(ControlError) {
        try handle().replace(name(of: directory.resumeRequested), with: [])
    }

    /// Removes the resume file: a stale one would cancel the next suspension at once; whether it was there.
    @discardableResult
    func withdrawResume() throws(ControlError) -> Bool { try remove(directory.resumeRequested) }

    /// Whether the run is suspended, and by which hook; means something only while it is alive.
    var suspension: SuspendState? { content(of: directory.suspendState).flatMap(SuspendState.init) }

    // MARK: Before and after runs

    /// Removes every control file that would act on the next run: none of them is cleared at its start
    /// (contract 1.1, 4.9). Only for a session without a living run.
    ///
    /// - Returns: the names of those that were there.
    @discardableResult
    func clearStale() throws(ControlError) -> [String] {
        guard access(directory.path, F_OK) == 0 else { return [] }
        let handle = try handle()
        let stale = [
            directory.stopRequested, directory.restartRequested, directory.resumeRequested,
            directory.pauseRequested, directory.suspendState,
        ]
        var found: [String] = []
        for path in stale where try handle.remove(name(of: path)) { found.append(name(of: path)) }
        return found
    }

    /// The names of those files that are there by which a run in whose directory they are waits, ends, or counts as waiting,
    /// whoever they were made for.
    var holding: [String] {
        [
            directory.pauseRequested, directory.stopRequested, directory.restartRequested,
            directory.suspendState,
        ].filter { isThere($0) }.map { name(of: $0) }
    }

    // MARK: Parts

    /// The open session directory; it has to be the canonical one still.
    func handle() throws(ControlError) -> DirectoryHandle {
        guard directory.layout != .unknown else { throw .readOnly }
        return try DirectoryHandle(directory.path, inside: [directory.path])
    }

    /// The name in the session directory of a path that ``SessionDirectory`` gave.
    func name(of path: String) -> String {
        String(decoding: path.utf8.dropFirst(directory.path.utf8.count + 1), as: UTF8.self)
    }

    private func create(_ path: String) throws(ControlError) { try handle().create(name(of: path)) }

    private func remove(_ path: String) throws(ControlError) -> Bool { try handle().remove(name(of: path)) }

    private func isThere(_ path: String) -> Bool {
        // A directory that cannot be opened holds nothing that a run could see.
        (try? handle())?.holds(name(of: path)) ?? false
    }

    private func lacks(_ path: String) -> Bool {
        // In a directory that cannot be opened it may be.
        (try? handle()).map { !$0.holds(name(of: path)) } ?? false
    }

    private func content(of path: String) -> [UInt8]? {
        // As above.
        (try? handle())?.content(of: name(of: path), maximumBytes: 64 * 1024)
    }
}
