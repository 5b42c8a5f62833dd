import RalphSessions
import RalphWire
import Synchronization

/// Notes on their way to the ingest thread; bounded.
///
/// Requests to read take no place of theirs: behind the newest note of a session there is one, however many ask for it.
final class ControlNoteInbox: Sendable {
    /// A note and who waits for it to be published.
    struct Entry: Sendable {
        let session: SessionID
        /// `nil`: what is left in the session's files is to be read.
        let note: ControlNote?
        /// More than one only for a request to read.
        var landings: [Landing<Result<Int64, ControlNoteProblem>>]
        /// How many scans there had been when the session was not found for the first time.
        var scansWhenMissed: Int?
    }

    private struct State {
        var entries: [Entry] = []
        var isClosed = false

        /// The request behind which nothing of `session` was asked: what is read for it is all that is there by then.
        func openRead(of session: SessionID) -> Int? {
            guard let newest = entries.lastIndex(where: { $0.session == session }) else { return nil }
            // What a scan did not find may be refused before the next one.
            let isOpen = entries[newest].note == nil && entries[newest].scansWhenMissed == nil
            return isOpen ? newest : nil
        }
    }

    /// How many notes may wait.
    static let capacity = 1024

    private let state = Mutex(State())
    let counters: ControlNoteCounters

    init(counters: ControlNoteCounters) { self.counters = counters }

    /// Puts a note behind all others, or has a request to read stand for this one as well.
    func add(
        _ note: ControlNote?, to session: SessionID
    ) throws(ControlNoteProblem) -> Landing<Result<Int64, ControlNoteProblem>> {
        let landing = Landing<Result<Int64, ControlNoteProblem>>()
        let problem: ControlNoteProblem? = state.withLock { state in
            if state.isClosed { return .closed }
            if note == nil, let read = state.openRead(of: session) {
                // Settled are those who gave up waiting.
                state.entries[read].landings.removeAll { $0.isSettled }
                state.entries[read].landings.append(landing)
                return nil
            }
            if note != nil, state.entries.count(where: { $0.note != nil }) >= Self.capacity { return .busy }
            state.entries.append(Entry(session: session, note: note, landings: [landing]))
            counters.waiting.store(state.entries.count, ordering: .relaxed)
            return nil
        }
        guard let problem else { return landing }
        if problem == .busy { counters.refused.wrappingAdd(1, ordering: .relaxed) }
        throw problem
    }

    /// Whether nothing waits; one load, for this is asked in every step.
    var isEmpty: Bool { counters.waiting.load(ordering: .relaxed) == 0 }

    /// Takes all notes out, oldest first.
    func take() -> [Entry] {
        guard !isEmpty else { return [] }
        return state.withLock { state in
            defer { state.entries = [] }
            counters.waiting.store(0, ordering: .relaxed)
            return state.entries
        }
    }

    /// Puts notes back in front of all others, for the next step.
    func giveBack(_ entries: [Entry]) {
        guard !entries.isEmpty else { return }
        state.withLock { state in
            state.entries.insert(contentsOf: entries, at: 0)
            counters.waiting.store(state.entries.count, ordering: .relaxed)
        }
    }

    /// Takes no more notes, and tells those who wait.
    func close() {
        let entries = state.withLock { state in
            defer { state.entries = [] }
            state.isClosed = true
            counters.waiting.store(0, ordering: .relaxed)
            return state.entries
        }
        for landing in entries.flatMap(\.landings) { landing.settle(.failure(.closed)) }
    }
}
