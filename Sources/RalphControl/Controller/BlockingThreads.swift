import Dispatch
import Foundation
import Synchronization

/// How many jobs that may block are done at once, each on a thread: as many as keep the processors busy, and another one for
/// each that has been at one job for so long that it waits for something, as for a file system that does not answer.
///
/// So a burst of looks makes few threads, and who comes behind `n` that wait for ever has one after `n / width` times
/// ``patience``, once. Where as many wait for ever as there may be threads, all others wait until one of them goes on.
package final class BlockingThreads: Sendable {
    private struct State {
        /// Since when each is at its job that has a thread.
        var working: [ObjectIdentifier: ContinuousClock.Instant] = [:]
        /// Who waits for one, the first first; each executor once.
        var waiting: [BlockingExecutor] = []
        /// Whether ``look()`` is to come.
        var isWatched = false
    }

    /// Those of all controllers of this process.
    static let controllers = BlockingThreads(most: 136)
    /// Who is at one job for longer than this waits for something.
    static let patience = Duration.milliseconds(250)

    private let width: Int
    private let most: Int
    private let state = Mutex(State())
    private let watch = DispatchQueue(label: "blocking threads")

    /// - Parameters:
    ///   - width: how many work at once while none waits for anything.
    ///   - most: how many at all; together fewer than the 255 threads that serial queues share on Linux.
    package init(width: Int = max(4, 2 * ProcessInfo.processInfo.activeProcessorCount), most: Int) {
        self.width = width
        self.most = most
    }

    /// Has `executor` do one job as soon as there is a thread; it leaves before it enters again.
    func enter(_ executor: BlockingExecutor) { admit { $0.waiting.append(executor) } }

    /// Gives the thread of `executor` to the next one.
    func leave(_ executor: BlockingExecutor) { admit { $0.working[ObjectIdentifier(executor)] = nil } }

    /// Whoever has been at one job for long keeps nobody from working any more.
    private func look() { admit { $0.isWatched = false } }

    private func admit(behind change: (inout State) -> Void) {
        let (admitted, isToLook) = state.withLock { state in
            change(&state)
            let admitted = admit(.now, &state)
            let isToLook = !state.waiting.isEmpty && !state.isWatched && state.working.count < most
            if isToLook { state.isWatched = true }
            return (admitted, isToLook)
        }
        for executor in admitted { executor.work() }
        guard isToLook else { return }
        let milliseconds = Int(Self.patience / .milliseconds(1))
        watch.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [self] in look() }
    }

    /// Gives the threads that are free to those who wait.
    private func admit(_ now: ContinuousClock.Instant, _ state: inout State) -> [BlockingExecutor] {
        guard !state.waiting.isEmpty else { return [] }
        let stuck = state.working.values.count { $0.duration(to: now) >= Self.patience }
        let free = max(0, min(width + stuck, most) - state.working.count)
        let admitted = Array(state.waiting.prefix(free))
        state.waiting.removeFirst(admitted.count)
        for executor in admitted { state.working[ObjectIdentifier(executor)] = now }
        return admitted
    }
}
