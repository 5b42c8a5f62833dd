import Logging
import NIOPosix
import RalphControl
import RalphSessions
import ServiceLifecycle
import Synchronization

/// Puts back a task that was just added and that Ralph wrote over: its `task add`, `close` and `fail` read the file,
/// let go of the lock, and then write what they had read (contract 6.1). No command of Ralph's removes a task, so
/// one that is gone within seconds was not removed but lost.
///
/// A change of a task that Ralph writes over in the same way is lost: it looks like a change of Ralph's own.
final class TaskKeeper: Service {
    /// A task that may still be written over.
    private struct Young {
        let place: WorkspacePlace
        let task: AddedTask
        var until: ContinuousClock.Instant
    }

    private struct State {
        var young: [Young] = []
        var unguarded = 0
    }

    /// Tasks that are looked after at once; further ones are not, and counted.
    static let capacity = 256
    /// How long a task is looked after: a program that has read the file writes it within milliseconds.
    static let youth: Duration = .seconds(3)
    private static let interval: Duration = .milliseconds(200)

    private let threads: NIOThreadPool
    private let logger: Logger
    private let state = Mutex(State())
    private let wakeUps = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(threads: NIOThreadPool, logger: Logger) {
        self.threads = threads
        self.logger = logger
    }

    /// Tasks that came when ``capacity`` was reached.
    var unguarded: Int { state.withLock { $0.unguarded } }

    /// Looks after a task from now on.
    func note(_ task: AddedTask, in place: WorkspacePlace) {
        state.withLock { state in
            guard state.young.count < Self.capacity else {
                state.unguarded += 1
                return
            }
            state.young.append(Young(place: place, task: task, until: .now + Self.youth))
        }
        wakeUps.continuation.yield()
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

    /// Whether there is still something to look after.
    private func look() async -> Bool {
        let young = state.withLock { state in
            state.young.removeAll { $0.until < .now }
            return state.young
        }
        for (place, members) in Dictionary(grouping: young, by: \.place) {
            let restored = await restore(members.map(\.task), in: place)
            guard !restored.isEmpty else { continue }
            logger.info(
                "Tasks that were written over are back", metadata: ["tasks": "\(restored.count)"])
            state.withLock { state in
                for index in state.young.indices where restored.contains(state.young[index].task.record.id) {
                    state.young[index].until = .now + Self.youth
                }
            }
        }
        return !young.isEmpty
    }

    private func restore(_ tasks: [AddedTask], in place: WorkspacePlace) async -> Set<String> {
        do {
            // A lock that is held is tried again at the next look.
            return try await threads.runIfActive { try TaskFile(place).restore(tasks) ?? [] }
        } catch {
            logger.debug("Tasks cannot be looked after", metadata: ["error": "\(LoggedError.text(error))"])
            return []
        }
    }
}
