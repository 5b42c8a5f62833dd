import Foundation
import RalphFeed
import RalphSessions
import RalphWire
import Synchronization

/// Has one step stored on a thread of its own while the next one is read: of many sessions that are seen for the first
/// time, that takes about as long as reading does.
///
/// One step at a time; for the one thread that reads.
final class StepHandover: Sendable {
    private struct State {
        var step: WatchStep?
        var isBusy = false
        /// Whose reads the step has that is not taken yet.
        var sessions: Set<SessionID> = []
        var isEnding = false
    }

    private let state = Mutex(State())
    private let given = DispatchSemaphore(value: 0)
    private let taken = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameter take: stores a step and shows it, on the thread.
    init(_ take: @escaping @Sendable (WatchStep) -> Void) throws(ThreadError) {
        try NamedThread.start("first-sight", isUrgent: true) { [self] in
            while let step = nextStep() {
                take(step)
                taken.signal()
            }
            ended.signal()
        }
    }

    /// Has `step` taken, as soon as the one before it is.
    func give(_ step: WatchStep) {
        settle()
        state.withLock { state in
            state.step = step
            state.isBusy = true
            state.sessions = Set(step.reads.map(\.id))
        }
        given.signal()
    }

    /// Returns when everything that was given is taken.
    func settle() {
        guard state.withLock({ $0.isBusy }) else { return }
        taken.wait()
        state.withLock { state in
            state.isBusy = false
            state.sessions = []
        }
    }

    /// Returns when everything of `session` that was given is taken.
    func settle(_ session: SessionID) {
        if state.withLock({ $0.sessions.contains(session) }) { settle() }
    }

    /// Ends the thread behind what was given; the second call does nothing. Nothing may be given any more.
    func end() {
        settle()
        guard
            !state.withLock({ state in
                defer { state.isEnding = true }
                return state.isEnding
            })
        else { return }
        given.signal()
        ended.wait()
    }

    /// What was given; `nil`: nothing more is.
    private func nextStep() -> WatchStep? {
        given.wait()
        return state.withLock { state in
            defer { state.step = nil }
            return state.step
        }
    }
}
