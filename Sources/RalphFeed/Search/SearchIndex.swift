import Foundation
import GRDB
package import Logging
import RalphWire
import Synchronization

/// What people search: the kept events' words, followed by one thread of low priority behind the feed.
///
/// The index is derived data. Whatever is wrong with it, events go on being stored and sent; it is made anew from the
/// store where it does not fit, and tried again where it cannot be written.
package final class SearchIndex: Sendable {
    private struct State {
        var store: SearchStore?
        var report = SearchReport()
        /// A search met damage.
        var isDamaged = false
        /// Why the newest search failed; `nil`: it did not.
        var failure: String?
        /// The searches that wait for the index; never more than the threads that people's searches have.
        var waiting: [Waiting] = []

        /// Lets those go on that wait for no event behind `globalID`; what they do next takes the lock behind this.
        mutating func endWaits(upTo globalID: Int64 = .max) {
            for search in waiting where search.globalID <= globalID { search.signal.signal() }
            waiting.removeAll { $0.globalID <= globalID }
        }
    }

    /// A search that waits until the index has reached an event.
    private struct Waiting {
        let globalID: Int64
        let signal = DispatchSemaphore(value: 0)
    }

    /// How much time the index leaves to others for each unit of time that it works; none while a search waits.
    private static let restFactor = 3
    /// The same while it is being made anew, or nearly: more than this often ``SearchConfiguration/manyEvents`` behind.
    private static let busyRestFactor = 1
    private static let busyMultiple: Int64 = 4

    private let configuration: SearchConfiguration
    private let feed: EventFeed
    private let logger: Logger
    private let bell = WorkerBell()
    private let state = OrderedMutex(State())
    /// The newest event before any append of this run.
    private let headAtOpening: Int64
    private let isHeld: Atomic<Bool>

    /// Follows `feed`, to which nothing must have been appended yet, once ``run()`` is called.
    ///
    /// - Parameter isHeld: nothing is taken in before ``release()``; what the index has can be found.
    package init(_ configuration: SearchConfiguration, feed: EventFeed, logger: Logger, isHeld: Bool) {
        self.isHeld = Atomic(isHeld)
        self.configuration = configuration
        self.feed = feed
        self.logger = logger
        headAtOpening = feed.globalHead
        feed.addSink(bell)
    }

    /// How the index fares.
    package var report: SearchReport {
        var report = state.withLock { $0.report }
        report.behind = max(0, feed.globalHead - report.indexedThrough)
        return report
    }

    /// Keeps the index up to date until ``stop()``; the body of a thread of its own. What it leaves open is for
    /// ``close()``.
    package func run() {
        var isInBackground = false
        while !bell.isStopping {
            do {
                var worker = try open()
                // Not before: whoever ends the server as it begins waits for the opening.
                if !isInBackground, !bell.isStopping {
                    BackgroundThread.enter(niceness: 19, logger: logger)
                }
                isInBackground = true
                defer { if !bell.isStopping { close() } }
                try follow(&worker)
            } catch {
                note(error)
                bell.pause(configuration.retry)
            }
        }
    }

    /// Lets a held index take in what is there.
    package func release() {
        isHeld.store(false, ordering: .sequentiallyConsistent)
        bell.ring()
    }

    /// Ends ``run()`` soon; its step and the searches that are under way are broken off.
    ///
    /// - Returns: `true`: nobody needs to wait for it, as it has nothing under way and does nothing more.
    package func stop() -> Bool {
        let isIdle = bell.stop()
        if let pool = state.withLock({ $0.store?.pool }) {
            // Elsewhere, as it waits for a connection that is just being opened, on whatever disk. Behind the stop, so that
            // nothing begins afterwards, and what is broken off knows why.
            DispatchQueue.global().async { pool.interrupt() }
        }
        state.withLock { $0.endWaits() }
        return isIdle
    }

    /// Closes the file behind the end of ``run()``; a search that is under way ends first.
    package func close() {
        let store = state.withLock { state in
            state.endWaits()
            defer { state.store = nil }
            return state.store
        }
        store?.close()
    }

    /// The newest events that fit `request`, of those that were stored before the call if the index can reach them in
    /// time; blocks the caller, at most about as long as its deadline says.
    ///
    /// - Throws: ``SearchError``, or ``StoreError`` where the events themselves cannot be read.
    package func search(_ request: SearchRequest) throws -> SearchPage {
        waitForIndex(request)
        guard !bell.isStopping else { throw SearchError.unavailable(reason: "it is being closed") }
        let (store, report) = (state.withLock { $0.store }, report)
        guard let store else {
            throw SearchError.unavailable(reason: report.problem ?? "it is being opened")
        }
        do {
            let found = try store.find(request, limit: request.limit + 1)
            state.withLock { $0.failure = nil }
            return try page(found, request, report)
        } catch StoreError.closed {
            throw SearchError.unavailable(reason: "it is being closed")
        } catch let error as DatabaseError {
            if Self.isDamage(error) {
                state.withLock { $0.isDamaged = true }
                bell.ring()
            }
            let reason = error.message ?? "\(error.resultCode)"
            noteFailure(reason)
            throw SearchError.unavailable(reason: reason)
        }
    }

    /// Has the index take in what `request` may find, and waits for that, up to the patience; not where it is too much.
    private func waitForIndex(_ request: SearchRequest) {
        let waiting = Waiting(globalID: min(feed.globalHead, (request.before ?? .max) - 1))
        let isBehind = state.withLock { state in
            guard state.store != nil, state.report.problem == nil, !bell.isStopping,
                !isHeld.load(ordering: .sequentiallyConsistent),
                case 1...configuration.manyEvents = waiting.globalID - state.report.indexedThrough
            else { return false }
            state.waiting.append(waiting)
            return true
        }
        guard isBehind else { return }
        bell.hurry()
        let patience = min(configuration.patience, (request.deadline - .now) / 2)
        _ = waiting.signal.wait(timeout: .now() + .milliseconds(Int(max(.zero, patience) / .milliseconds(1))))
        state.withLock { $0.waiting.removeAll { $0.signal === waiting.signal } }
    }

    /// Says once that searches fail for `reason`, until one does not.
    private func noteFailure(_ reason: String) {
        let isNew = state.withLock { state in
            defer { state.failure = reason }
            return state.failure != reason
        }
        guard isNew, !bell.isStopping else { return }
        logger.warning(
            "A search failed", metadata: ["search.path": "\(configuration.path)", "error": "\(reason)"])
    }

    /// Joins what was found with the events themselves; what has left the ring meanwhile is left out.
    private func page(
        _ found: [SearchPage.Hit], _ request: SearchRequest, _ report: SearchReport
    ) throws -> SearchPage {
        var page = SearchPage()
        (page.indexedThrough, page.behind) = (report.indexedThrough, report.behind)
        var bytes = 0
        for (index, var hit) in found.prefix(request.limit).enumerated() {
            if let block = try feed.event(hit.seq, of: hit.session) {
                hit.take(Array(block.json(at: 0)))
                if request.wants(hit) {
                    bytes += hit.event.count
                    page.hits.append(hit)
                }
            }
            if index + 1 < found.count, index + 1 == request.limit || bytes > SearchPage.maximumEventBytes {
                page.next = hit.globalID
                break
            }
        }
        return page
    }

    /// Opens the index, and says so.
    private func open() throws -> SearchWorker {
        try requireRoom()
        let mode = try configuration.mode ?? SearchMode.probe()
        let isDamaged = state.withLock { state in
            defer { state.isDamaged = false }
            return state.isDamaged
        }
        let head = isDamaged ? -1 : max(headAtOpening, state.withLock { $0.report.indexedThrough })
        let store = try SearchStore(
            path: configuration.path, mode: mode, epoch: feed.epoch, ring: feed.ring, globalHead: head)
        let worker: SearchWorker
        do {
            worker = try SearchWorker(
                feed: feed, store: store,
                pace: WorkPace(
                    isOver: { [bell] in bell.isStopping },
                    pause: { [self] in if !isHurried { bell.rest($0) } }))
        } catch {
            store.close()
            throw error
        }
        state.withLock { state in
            state.store = store
            state.report.mode = mode
            state.report.indexedThrough = worker.cursor
            state.report.problem = nil
            if store.isRebuilt { state.report.rebuilt += 1 }
        }
        return worker
    }

    /// Takes events in as they come, until the end or damage; what cannot be written is tried again.
    private func follow(_ worker: inout SearchWorker) throws {
        while !bell.isStopping {
            do {
                try advance(&worker)
            } catch  where !Self.isDamage(error) {
                // What is in the index can be searched meanwhile.
                note(error)
                bell.pause(configuration.retry)
            }
            guard !state.withLock({ $0.isDamaged }) else { return }
        }
    }

    /// Makes one step, and rests or waits as it asks for.
    private func advance(_ worker: inout SearchWorker) throws {
        guard !isHeld.load(ordering: .sequentiallyConsistent) else {
            bell.sleep { !isHeld.load(ordering: .sequentiallyConsistent) }
            return
        }
        try requireRoom()
        let isFarBehind = (feed.globalHead - worker.cursor) / Self.busyMultiple > configuration.manyEvents
        worker.pace.factor = isFarBehind ? Self.busyRestFactor : Self.restFactor
        worker.pace.begin()
        let step = try worker.step()
        let cursor = worker.cursor
        state.withLock { state in
            state.report.indexed += step.indexed
            state.report.skipped += step.skipped
            state.report.indexedThrough = cursor
            state.report.problem = nil
            state.endWaits(upTo: cursor)
        }
        if step.isBehind {
            // Steps over events that are gone cost nothing and need no rest.
            if step.indexed > 0 { worker.pace.restIfDue() }
        } else {
            gather(behind: cursor)
        }
    }

    /// A search waits, or one has met damage.
    var isHurried: Bool { state.withLock { $0.isDamaged || !$0.waiting.isEmpty } }

    /// Waits for events behind `cursor`, and then until no more come, they are many, or somebody wants them: what leaves
    /// its ring meanwhile need never be taken in, and whoever reads and sends has the processor until then.
    private func gather(behind cursor: Int64) {
        bell.sleep { feed.globalHead > cursor || isHurried }
        var newest = cursor
        while !bell.isStopping, !isHurried, feed.globalHead != newest,
            feed.globalHead - cursor < configuration.manyEvents
        {
            newest = feed.globalHead
            bell.pause(configuration.gathering)
        }
    }

    private func note(_ error: any Error) {
        guard !bell.isStopping else { return }
        if Self.isDamage(error) { state.withLock { $0.isDamaged = true } }
        let reason = (error as? DatabaseError)?.message ?? (error as? NoRoom)?.description ?? "\(error)"
        let isNew = state.withLock { state in
            state.endWaits()
            defer { state.report.problem = reason }
            return state.report.problem != reason
        }
        guard isNew else { return }
        logger.warning(
            "The search index waits; everything else goes on",
            metadata: ["search.path": "\(configuration.path)", "error": "\(reason)"])
    }

    /// - Throws: ``NoRoom`` where the index would take the last room on the file system.
    private func requireRoom() throws {
        var status = statvfs()
        let directory = (configuration.path as NSString).deletingLastPathComponent
        guard statvfs(directory, &status) == 0 else { return }
        let free = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        guard free.overflow || free.partialValue >= UInt64(configuration.reservedBytes) else {
            throw NoRoom(free: free.partialValue, wanted: configuration.reservedBytes)
        }
    }

    /// Whether the file holds what no index of ours can hold.
    private static func isDamage(_ error: any Error) -> Bool {
        guard let code = (error as? DatabaseError)?.resultCode else { return false }
        return [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH].contains(code)
    }
}

/// The file system is nearly full.
private struct NoRoom: Error {
    let free: UInt64
    let wanted: Int

    var description: String { "less than \(wanted >> 20) MiB are free on its file system" }
}
