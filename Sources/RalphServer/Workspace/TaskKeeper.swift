import Logging
import RalphControl
import RalphSessions
import RalphWire
import ServiceLifecycle
import Synchronization

/// Puts back a task that was just added, and what was changed of it since, where Ralph wrote over it: its `task add`, `close` and `fail` read the file,
/// let go of the lock, and then write what they had read (contract 6.1). No command of Ralph's removes a task, so
/// one that is gone within seconds was not removed but lost.
///
/// A change of any other task that Ralph writes over in the same way is lost: it looks like a change of Ralph's own.
final class TaskKeeper: Service {
    /// A task that may still be written over.
    private struct Young {
        let place: WorkspacePlace
        var task: WrittenTask
        var until: ContinuousClock.Instant

        func isTask(_ id: String, in place: WorkspacePlace) -> Bool {
            task.record.id == id && self.place == place
        }

        /// `nil`: grown up. A look that comes late is one all the same.
        func lookedAt(_ now: ContinuousClock.Instant, restored: Set<String>, youth: Duration) -> Young? {
            guard restored.contains(task.record.id) else { return now < until ? self : nil }
            return Young(place: place, task: task, until: now + youth)
        }
    }

    private struct State {
        var young: [Young] = []
        var unguarded = 0
    }

    /// Tasks that are looked after at once; further ones are not, and counted.
    static let capacity = 256
    private static let interval: Duration = .milliseconds(200)
    /// How long looks are tried after the last that was due, if somebody keeps the lock.
    private static let patience: Duration = .seconds(60)

    private let threads: FileThreads
    private let logger: Logger
    private let youth: Duration
    private let state = Mutex(State())
    private let wakeUps = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// - Parameter youth: how long a task is looked after; the last look is after that. A program that has read the
    ///   file writes it within milliseconds.
    init(threads: FileThreads, logger: Logger, youth: Duration = .seconds(3)) {
        self.threads = threads
        self.logger = logger
        self.youth = youth
    }

    /// Tasks that came when ``capacity`` was reached, and those that could not be looked at in time.
    var unguarded: Int { state.withLock { $0.unguarded } }

    /// Looks after a task from now on.
    func note(_ task: WrittenTask, in place: WorkspacePlace) {
        state.withLock { state in
            guard state.young.count < Self.capacity else {
                state.unguarded += 1
                return
            }
            state.young.append(Young(place: place, task: task, until: .now + youth))
        }
        wakeUps.continuation.yield()
    }

    /// A task that is looked after, as it was last written; `nil`: it is not.
    func task(_ id: String, in place: WorkspacePlace) -> WrittenTask? {
        state.withLock { state in state.young.first { $0.isTask(id, in: place) }?.task }
    }

    /// Has a task that is looked after put back as it is now.
    func noteChange(_ task: WrittenTask, in place: WorkspacePlace) {
        state.withLock { state in
            let index = state.young.firstIndex { $0.isTask(task.record.id, in: place) }
            guard let index else { return }
            state.young[index].task.change(to: task)
            state.young[index].until = .now + youth
        }
    }

    /// Looks after tasks until the service is shut down.
    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            for await _ in wakeUps.stream {
                while await look() {
                    // Cut short means shut down: there is nothing to wait for.
                    do { try await Task.sleep(for: Self.interval) } catch { return }
                }
            }
        }
    }

    /// Looks once; whether there is still something to look after.
    func look() async -> Bool {
        let looked = state.withLock(\.young)
        var kept: [Young] = []
        var missed = 0
        for (place, members) in Dictionary(grouping: looked, by: \.place) {
            let begin = ContinuousClock.now
            if let restored = await restore(members.map(\.task), in: place) {
                kept += members.compactMap { $0.lookedAt(begin, restored: restored, youth: youth) }
            } else {
                let waiting = members.filter { begin < $0.until + Self.patience }
                missed += members.count - waiting.count
                kept += waiting
            }
        }
        return state.withLock { state in
            // What was changed meanwhile is kept as it is now.
            let changed = zip(state.young, looked).filter { $0.task != $1.task }.map(\.0)
            for young in changed { kept.removeAll { $0.isTask(young.task.record.id, in: young.place) } }
            // Those that came meanwhile stand behind.
            state.young.replaceSubrange(..<looked.count, with: kept + changed)
            state.unguarded += missed
            return !state.young.isEmpty
        }
    }

    /// - Returns: the ids of those that are back; `nil`: somebody has the lock, or nothing answers.
    private func restore(_ tasks: [WrittenTask], in place: WorkspacePlace) async -> Set<String>? {
        do {
            let restored = try await threads.run(at: place.path) { try TaskFile(place).restore(tasks) }
            if let restored, !restored.isEmpty {
                logger.info(
                    "Tasks that were written over are back", metadata: ["tasks": "\(restored.count)"])
            }
            return restored
        } catch let problem as Problem where problem.status == 503 {
            return nil
        } catch {
            logger.debug("Tasks cannot be looked after", metadata: ["error": "\(LoggedError.text(error))"])
            return []
        }
    }
}
