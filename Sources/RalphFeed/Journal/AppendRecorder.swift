import Foundation
import Logging
import RalphWire
import Synchronization

/// Where appends are recorded: small ones in the journal at once, and in the tables a moment later together with
/// what came meanwhile; large ones in the tables at once.
///
/// One transaction for each line of each session would cost more than everything else that a line needs. What is
/// recorded survives the end of the process either way: what the journal holds and the tables do not is put into
/// them when the store is opened.
final class AppendRecorder: Sendable {
    /// What the journal's name adds to that of the store.
    static let journalSuffix = ".journal"
    /// Appends with more bytes of events go into the tables at once, with all that waits.
    static let largestPostponed = 64 << 10
    /// Appends wait for the tables for this many looks at how much waits, and a look comes every ``lookInterval``.
    static let longestWait = 20
    static let lookInterval = Duration.milliseconds(50)

    /// Of whoever waits for the tables itself.
    private static var restless: WorkPace { WorkPace { _ in } }

    private struct Waiting {
        var journal: AppendJournal
        var appends: [NumberedAppend] = []
        var bytes = 0
        /// Why the tables could not be written: nothing more is recorded before they can.
        var problem: StoreError?
        /// What waits is the next feed's: nothing may come behind it, in the tables neither.
        var isClosed = false

        /// Adds what comes behind all others.
        mutating func add(_ append: NumberedAppend) {
            let last = appends.count - 1
            if last < 0 || !appends[last].extend(by: append) { appends.append(append) }
        }
    }

    private let store: EventStore
    private let checkpointer: WALCheckpointer
    private let logger: Logger
    /// Held for a whole transaction; taken before `waiting`.
    private let writer: OrderedMutex<StoreWriter>
    /// Held for one write(2) at most.
    private let waiting: OrderedMutex<Waiting>
    /// When so many bytes of events wait, they wait no longer.
    private let dueBytes: Int
    private let isAnyWaiting: Atomic<Bool>
    private let storedThroughID: Atomic<Int64>
    /// How many callers wait for the tables.
    private let hurried = Atomic(0)
    private let bell = WorkerBell()
    private let finished = DispatchSemaphore(value: 0)

    /// Puts what only the journal has into the tables; what it cannot put there waits.
    ///
    /// - Parameter heads: is set to how far each session's record reaches.
    init(
        store: EventStore, configuration: FeedConfiguration, checkpointer: WALCheckpointer, logger: Logger,
        heads: inout [SessionID: FeedHead]
    ) throws(StoreError) {
        self.store = store
        self.checkpointer = checkpointer
        self.logger = logger
        let known = try store.knownSessions()
        var writer = StoreWriter(ring: store.ring, stride: configuration.archiveStride, known: known)
        var journal = try AppendJournal(
            path: configuration.path + Self.journalSuffix, epoch: store.epoch,
            // What waits goes into the store's own log at once, which has a cap.
            capacity: configuration.walCapBytes / 32, settled: try store.journalNumber())
        var left: (appends: [NumberedAppend], number: Int64) = ([], 0)
        var problem: StoreError?
        do throws(StoreError) {
            left = try Self.leftAppends(in: journal, behind: known, ring: store.ring)
            if !left.appends.isEmpty {
                logger.notice(
                    "Events of the journal are put into the store",
                    metadata: ["store.path": "\(store.path)", "appends": "\(left.appends.count)"])
                problem = try Self.putBack(left, into: store, by: &writer)
            }
            if problem == nil { try journal.clear(at: left.number) } else { journal.goOn(at: left.number) }
            for session in try store.knownSessions() { heads[session.id] = session.head }
        } catch {
            journal.close()
            throw error
        }
        storedThroughID = Atomic(heads.values.map(\.lastGlobalID).max() ?? 0)
        dueBytes = journal.capacity / 8
        self.writer = OrderedMutex(writer)
        waiting = OrderedMutex(
            Waiting(journal: journal, appends: problem == nil ? [] : left.appends, problem: problem))
        isAnyWaiting = Atomic(problem != nil)
    }

    /// Begins to write what waits; call once, when ``waitingAppends`` have been taken up.
    ///
    /// - Throws: ``StoreError/failed(path:reason:)`` without a thread for it.
    func start() throws(StoreError) {
        do throws(ThreadError) {
            try NamedThread.start("store") { [self] in run() }
        } catch {
            // Nobody is to wait for its end.
            finished.signal()
            throw .failed(path: store.path, reason: error.reason)
        }
    }

    /// What the tables do not have, in its order.
    var waitingAppends: [NumberedAppend] { waiting.withLock(\.appends) }

    /// The tables have all events up to this global id.
    var storedThrough: Int64 { storedThroughID.load(ordering: .acquiring) }

    /// Why the tables could not be written at the last try; `nil`: they could.
    var problem: StoreError? { waiting.withLock(\.problem) }

    /// Records `appends`; for the one thread that appends.
    ///
    /// - Throws: what keeps the tables from being written; nothing is recorded then.
    func record(_ appends: [NumberedAppend]) throws(StoreError) {
        if !postpone(appends) { try storeNow(appends) }
    }

    /// Has the tables hold everything that was recorded before; costs an atomic load if they do.
    func settle() throws(StoreError) {
        if isAnyWaiting.load(ordering: .acquiring) { try storeNow([]) }
    }

    /// What is recorded of `id` apart from its events; `nil`: nothing.
    func saved(_ id: SessionID) throws(StoreError) -> SavedSession? {
        // Under the writer's lock nothing goes from the journal into the tables between the two looks.
        hurried.wrappingAdd(1, ordering: .relaxed)
        defer { hurried.wrappingSubtract(1, ordering: .relaxed) }
        return try writer.withLock { _ throws(StoreError) in
            var saved = try store.saved(id)
            waiting.withLock { waiting in
                for append in waiting.appends where append.append.id == id {
                    var newer = saved ?? SavedSession(checkpoints: [:], state: nil, head: FeedHead())
                    newer.add(append)
                    saved = newer
                }
            }
            return saved
        }
    }

    /// Puts everything into the tables, if that is possible, and ends; call once.
    func stop() {
        // Under the lock: an append has either been recorded, and is seen to wait, or is not recorded any more.
        let isIdle = waiting.withLock { _ in bell.stop() }
        if !isIdle { finished.wait() }
        do {
            try settle()
            try writer.withLock { _ throws(StoreError) in
                try waiting.withLock { waiting throws(StoreError) in
                    if waiting.appends.isEmpty { try waiting.journal.clear(at: waiting.journal.number) }
                }
            }
        } catch {
            logger.warning(
                "Events wait in the journal for the next start",
                metadata: ["store.path": "\(store.path)", "error": "\(error)"])
        }
        // What could not be stored is the next feed's from now on.
        writer.withLock { _ in
            waiting.withLock { waiting in
                waiting.journal.close()
                waiting.isClosed = true
                waiting.appends = []
                isAnyWaiting.store(false, ordering: .sequentiallyConsistent)
            }
        }
    }

    /// Records `appends` in the journal; `false` if they are too large, or that cannot be.
    private func postpone(_ appends: [NumberedAppend]) -> Bool {
        let bytes = appends.reduce(0) { $0 + $1.append.batch.bytes.count }
        guard bytes <= Self.largestPostponed else { return false }
        let isRecorded = waiting.withLock { waiting in
            // Looked at under the lock: the journal is closed under it.
            guard waiting.problem == nil, !bell.isStopping,
                waiting.journal.append(appends)
            else { return false }
            for append in appends { waiting.add(append) }
            waiting.bytes += bytes
            isAnyWaiting.store(true, ordering: .sequentiallyConsistent)
            return true
        }
        if isRecorded { bell.ring() }
        return isRecorded
    }

    /// The same for a caller who waits for it: the thread does not rest meanwhile.
    private func storeNow(_ appends: [NumberedAppend]) throws(StoreError) {
        hurried.wrappingAdd(1, ordering: .relaxed)
        defer { hurried.wrappingSubtract(1, ordering: .relaxed) }
        try store(appends, pace: Self.restless)
    }

    /// Writes what waits, and `appends` behind it, in one transaction; before it, in small ones, what goes with files that
    /// are gone for good.
    private func store(_ appends: [NumberedAppend], pace: WorkPace) throws(StoreError) {
        var pace = pace
        try writer.withLock { (writer) throws(StoreError) in
            let (earlier, number) = try takeWaiting(isMore: !appends.isEmpty)
            let all = appends.isEmpty ? earlier : earlier + appends
            guard let last = all.last else { return }
            let sessions: Int
            do throws(StoreError) {
                try removeRows(for: all, by: &writer, pace: &pace)
                sessions = try store.write { try writer.write(all, journal: number, on: $0, pace: &pace) }
            } catch {
                giveBack(earlier, because: error)
                throw error
            }
            storedThroughID.store(
                last.firstGlobalID + Int64(last.append.batch.count) - 1, ordering: .releasing)
            settled(through: number)
            checkpointer.noteCommit(
                bytes: all.reduce(0) { $0 + $1.append.batch.bytes.count }, sessions: sessions)
        }
    }

    /// Removes what tells of files that `appends` say are gone for good, part by part: whoever waits for the writing
    /// connection gets it between two of them.
    private func removeRows(
        for appends: [NumberedAppend], by writer: inout StoreWriter, pace: inout WorkPace
    ) throws(StoreError) {
        writer.planRemovals(for: appends)
        while writer.hasRemovals {
            try store.write { try writer.removePart(on: $0, pace: &pace) }
            checkpointer.noteCommit(bytes: 0, sessions: 1)
        }
    }

    /// Takes what waits out, and gives the number that it ends with, or that of what is stored behind it.
    private func takeWaiting(
        isMore: Bool
    ) throws(StoreError) -> (appends: [NumberedAppend], number: Int64) {
        try waiting.withLock { waiting throws(StoreError) in
            if isMore, waiting.isClosed { throw .closed }
            let appends = waiting.appends
            waiting.appends = []
            waiting.bytes = 0
            let number = isMore ? waiting.journal.skip() : waiting.journal.number
            waiting.journal.turn()
            return (appends, number)
        }
    }

    private func settled(through number: Int64) {
        waiting.withLock { waiting in
            waiting.problem = nil
            waiting.journal.settle(through: number)
            isAnyWaiting.store(!waiting.appends.isEmpty, ordering: .sequentiallyConsistent)
        }
    }

    /// Puts appends back in front of those that came meanwhile.
    private func giveBack(_ appends: [NumberedAppend], because problem: StoreError) {
        waiting.withLock { waiting in
            waiting.problem = problem
            waiting.appends.insert(contentsOf: appends, at: 0)
            waiting.bytes = waiting.appends.reduce(0) { $0 + $1.append.batch.bytes.count }
        }
    }

    private func run() {
        BackgroundThread.enter(niceness: 10, logger: logger)
        var isWarned = false
        while !bell.isStopping {
            bell.sleep { isAnyWaiting.load(ordering: .sequentiallyConsistent) }
            guard !bell.isStopping else { break }
            waitUntilDue()
            guard !bell.isStopping else { break }
            do {
                try store([], pace: WorkPace { [self] in rest($0) })
                // With nothing left to write, an append may have failed since.
                guard waiting.withLock({ $0.problem == nil }) else { continue }
                if isWarned {
                    logger.notice(
                        "Events are written to the tables again", metadata: ["store.path": "\(store.path)"])
                }
                isWarned = false
            } catch {
                if !isWarned {
                    logger.error(
                        "Events wait in the journal: the tables cannot be written",
                        metadata: ["store.path": "\(store.path)", "error": "\(error)"])
                }
                isWarned = true
            }
        }
        finished.signal()
    }

    /// Waits for a moment; nobody is kept waiting when the feed is closed.
    private func rest(_ duration: Duration) {
        guard hurried.load(ordering: .relaxed) == 0, store.otherWrites.load(ordering: .relaxed) == 0 else {
            return
        }
        bell.rest(duration)
    }

    /// Waits by its own clock: woken by whoever appends, the thread would be put on its core, and in its way.
    private func waitUntilDue() {
        for _ in 0..<Self.longestWait {
            bell.pause(Self.lookInterval)
            guard !bell.isStopping else { return }
            // What could not be written is not tried at each look.
            let isDue = waiting.withLock { $0.problem == nil && $0.bytes >= dueBytes }
            if isDue { return }
        }
    }

    /// Writes what only the journal had; gives the error if the disk is full: then it waits on.
    private static func putBack(
        _ left: (appends: [NumberedAppend], number: Int64), into store: EventStore,
        by writer: inout StoreWriter
    ) throws(StoreError) -> StoreError? {
        do throws(StoreError) {
            var pace = restless
            _ = try store.write { db in
                try writer.write(left.appends, journal: left.number, on: db, pace: &pace)
            }
            return nil
        } catch {
            guard case .diskFull = error else { throw error }
            return error
        }
    }

    /// The appends that only the journal has, as far as they go on where the tables end, and the number of the last.
    private static func leftAppends(
        in journal: AppendJournal, behind known: [KnownSession], ring: Int
    ) throws(StoreError) -> (appends: [NumberedAppend], number: Int64) {
        // A start with a smaller ring may have taken out more than the journal knows.
        let firstKept = Dictionary(known.map { ($0.id, $0.head.firstKept) }) { $1 }
        var left: [NumberedAppend] = []
        var number = journal.number
        var next = (known.map(\.head.lastGlobalID).max() ?? 0) + 1
        for record in try journal.records() {
            let appends: [NumberedAppend]
            do throws(JournalDecoder.Damage) {
                appends = try JournalDecoder.appends(in: record)
            } catch {
                // Its checksum is right, so it is no torn one, and what it holds was published.
                throw .unwritable(path: journal.path, reason: "record \(number + 1) is of another version")
            }
            var following: [NumberedAppend] = []
            for append in appends where append.firstGlobalID == next {
                next += Int64(append.append.batch.count)
                following.append(append.within(ring: ring, from: firstKept[append.append.id] ?? 1))
            }
            guard following.count == appends.count else { break }
            left += following
            number += 1
        }
        return (left, number)
    }
}

extension SavedSession {
    /// Takes in what the session was given later.
    fileprivate mutating func add(_ later: NumberedAppend) {
        checkpoints.merge(later.append.checkpoints) { $1 }
        for name in later.append.checkpoints.keys where checkpoints[name] == [] { checkpoints[name] = nil }
        if let state = later.append.state { self.state = state }
        head = later.head
    }
}
