import Foundation
import Logging
import RalphFeed
import RalphSessions
import RalphWire
import Synchronization

/// What the store has of sessions when they are found.
extension Ingest {
    /// Among how many of its newest events that of its newest row is looked for; behind a row stand a few of ours.
    private static let newestRows: Int64 = 64

    /// Where the tail of `id` was before; `nil`: the store has nothing of it.
    func savedTail(_ id: SessionID) -> SavedTail? {
        guard let saved = saved(id) else { return nil }
        let tail = savedTail(saved, newestRow: newestRow(of: id, saved.head))
        control.withLock { $0.stored[id] = tail }
        return saved.checkpoints.isEmpty && saved.state == nil ? nil : tail
    }

    private func savedTail(_ saved: SavedSession, newestRow: SavedTail.Row?) -> SavedTail {
        // A state of an older version that no longer decodes is derived anew from the lines to come.
        let state = saved.state.flatMap { try? JSONDecoder().decode(SessionState.self, from: Data($0)) }
        return SavedTail(checkpoints: saved.checkpoints, state: state, newestRow: newestRow)
    }

    /// What the store had of `id` when its files were looked at for the first time; `nil`: nothing.
    func takeStored(of id: SessionID) -> (head: FeedHead, state: SessionState)? {
        guard let tail = control.withLock({ $0.stored.removeValue(forKey: id) }), let head = feed.head(of: id)
        else { return nil }
        return (head, tail.wholeState ?? SessionState())
    }

    /// What was stored of a session's state; `nil`: nothing, or it cannot be read.
    func storedState(of id: SessionID) -> SessionState? {
        guard let saved = try? feed.saved(id) else { return nil }  // there is none to show
        return savedTail(saved, newestRow: nil).wholeState
    }

    /// Lets the server answer, whatever its disk says: with what is stored of the sessions that were found and are still to
    /// be read, since who is told that there is no such session does not ask again.
    ///
    /// - Parameter canRead: whether the store may be read; each look at one that is held by somebody else takes seconds.
    func beginToAnswer(canRead: Bool) {
        let awaited = control.withLock(\.awaited).filter { catalogue.entry($0.id) == nil }
        var probe = LivenessProbe()
        if !awaited.isEmpty { probe.refresh() }
        var canRead = canRead
        for session in awaited {
            settings.willShow(session.id)
            let head = feed.head(of: session.id)
            var state: SessionState?
            if canRead {
                do {
                    state = try feed.saved(session.id).flatMap { savedTail($0, newestRow: nil).wholeState }
                } catch {
                    canRead = error.isDamage
                }
            }
            let liveness = probe.liveness(of: session)
            catalogue.insert(session) { entry in
                if let head { entry.head = head }
                if let state { entry.state = state }
                entry.liveness = liveness
            }
        }
        noteFirstScan()
    }

    /// The newest event of `id` that is not ours, if it is among its newest ones; its time is the latest of theirs, since
    /// rows need not come in the order of their times.
    private func newestRow(of id: SessionID, _ head: FeedHead) -> SavedTail.Row? {
        var newest: SavedTail.Row?
        var cursor = max(head.firstKept, head.last - Self.newestRows + 1) - 1
        while cursor < head.last {
            // Reading the tables went well a moment ago; where it does not now, the stored state stands.
            guard let blocks = try? feed.stored(id, after: cursor, limit: Int(head.last - cursor)),
                let last = blocks.last
            else { return nil }
            for entry in blocks.flatMap(\.entries) where entry.origin != .server {
                let time = max(newest?.time ?? .min, entry.timestamp)
                newest = SavedTail.Row(time: time, origin: entry.origin)
            }
            cursor = last.lastSeq
        }
        return newest
    }

    /// What the store has of a session, trying until it answers: to begin a session anew because the store
    /// was busy would double its events.
    private func saved(_ id: SessionID) -> SavedSession? {
        var hasFailed = false
        while !isStopping {
            do {
                let saved = try feed.saved(id)
                if hasFailed {
                    catalogue.turn.begin()
                    // What was recorded may still be kept from the tables.
                    catalogue.storeProblem = feed.problem?.description
                    logger.notice("The event store can be read again")
                }
                return saved
            } catch {
                if !hasFailed {
                    logger.error(
                        "The event store cannot be read", metadata: ["error": "\(LoggedError.text(error))"])
                }
                hasFailed = true
                catalogue.storeProblem = error.description
                // Of a damaged store a part can be read.
                beginToAnswer(canRead: error.isDamage)
                _ = waitToRetry(settings.retryDelay.upperBound)
            }
        }
        control.withLock { $0.isPositionUnknown = true }
        return nil
    }
}

extension StoreError {
    /// Whether it concerns a part of the file, while others can be read.
    fileprivate var isDamage: Bool { if case .corrupt = self { true } else { false } }
}
