import Foundation
import Logging
import RalphFeed
import RalphSessions
import RalphWire
import Synchronization

/// What the store has of sessions when they are found.
extension Ingest {
    /// How many of its newest events are looked at: behind its newest row stand a few of ours, and a burst that goes on has
    /// had each of its names lately.
    private static let newestEvents: Int64 = 64

    /// Where the tail of `id` was before; `nil`: the store has nothing of it.
    func savedTail(_ id: SessionID) -> SavedTail? {
        guard let saved = saved(id) else { return nil }
        let tail = savedTail(saved, newest: newest(of: id, saved.head))
        control.withLock { $0.stored[id] = tail }
        return saved.checkpoints.isEmpty && saved.state == nil ? nil : tail
    }

    private func savedTail(_ saved: SavedSession, newest: NewestEvents?) -> SavedTail {
        // A state of an older version that no longer decodes is derived anew from the lines to come.
        let state = saved.state.flatMap { try? JSONDecoder().decode(SessionState.self, from: Data($0)) }
        return SavedTail(checkpoints: saved.checkpoints, state: state, newest: newest)
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
        return savedTail(saved, newest: nil).wholeState
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
                    state = try feed.saved(session.id).flatMap { savedTail($0, newest: nil).wholeState }
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

    /// What the newest events of `id` tell; `nil`: they cannot be read.
    private func newest(of id: SessionID, _ head: FeedHead) -> NewestEvents? {
        var cursor = max(head.firstKept, head.last - Self.newestEvents + 1) - 1
        var newest = NewestEvents(isWhole: cursor == 0)
        while cursor < head.last {
            // Reading the tables went well a moment ago; where it does not now, the stored state stands.
            guard let blocks = try? feed.stored(id, after: cursor, limit: Int(head.last - cursor)),
                let last = blocks.last
            else { return nil }
            for block in blocks {
                for (index, entry) in block.entries.enumerated() {
                    newest.add(block.json(at: index), time: entry.timestamp, origin: entry.origin)
                }
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
