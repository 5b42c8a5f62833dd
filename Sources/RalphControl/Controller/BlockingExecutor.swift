import Dispatch
import Synchronization

/// Where an actor works that looks at files, as a controller does: on threads that may wait, one job after the other, in the
/// order in which they came.
///
/// A file system may not answer. Whatever is asynchronous in this process shares as many threads as there are processors, of
/// which none may wait for that.
///
/// The jobs that wait are the next steps of whoever calls the actor: no more than have begun to.
package final class BlockingExecutor: SerialExecutor {
    private let threads: BlockingThreads
    /// Unlike those that all share, a serial queue of its own gets a thread at once, however many wait.
    private let queue = DispatchQueue(label: "blocking")
    /// The first one is under way, or waits for a thread.
    private let jobs = Mutex<[UnownedJob]>([])

    package init(threads: BlockingThreads) { self.threads = threads }

    package func enqueue(_ job: consuming ExecutorJob) {
        let next = UnownedJob(job)
        let isFirst = jobs.withLock { jobs in
            jobs.append(next)
            return jobs.count == 1
        }
        if isFirst { threads.enter(self) }
    }

    /// Does the first job, once for each ``BlockingThreads/enter(_:)``; returns at once.
    func work() {
        queue.async { [self] in
            if let job = jobs.withLock({ $0.first }) {
                job.runSynchronously(on: asUnownedSerialExecutor())
            }
            // While the job still stands there nobody enters again.
            threads.leave(self)
            let isLast = jobs.withLock { jobs in
                jobs.removeFirst()
                return jobs.isEmpty
            }
            if !isLast { threads.enter(self) }
        }
    }
}
