import Dispatch
import NIOPosix
import RalphFeed
import RalphWire
import ServiceLifecycle
import Synchronization

/// The search index as a part of the server: its thread, and the threads that people's searches run on.
final class SearchService: Service {
    /// Searches that run or wait; more are refused.
    static let maximumSearches = 8
    /// How long a search may take, its wait included.
    static let timeLimit: Duration = .seconds(2)

    private let index: SearchIndex
    private let firstScan: @Sendable () async -> Void
    /// Of their own, so that searches keep nobody else waiting.
    private let threads = NIOThreadPool(numberOfThreads: 2)
    private let searches = Atomic(0)
    /// How long the end waits for the thread, which gets little of a processor that others want. What that leaves unfinished
    /// is done after the next start.
    private static let endLimit: Duration = .milliseconds(300)
    /// Whether the thread does nothing more; settled with `false` when the end waits for it no longer.
    private let end = Landing<Bool>()

    /// - Parameters:
    ///   - index: may be held; it is released once `firstScan` has returned.
    ///   - firstScan: returns when the sessions have been read for the first time, or when it is cancelled.
    init(
        index: SearchIndex, firstScan: @escaping @Sendable () async -> Void
    ) {
        self.index = index
        self.firstScan = firstScan
    }

    /// How the index fares.
    var report: SearchReport { index.report }

    /// Keeps the index up to date until the service is shut down.
    func run() async throws {
        threads.start()
        try NamedThread.start("search") { [self] in
            index.run()
            end.settle(true)
        }
        async let _ = release()
        let isOver = await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await end.settled()
            } onGracefulShutdown: { [self] in
                stop()
            }
        } onCancel: { [self] in
            stop()
        }
        try? await threads.shutdownGracefully()  // nothing waits for these threads any more
        // What the thread has open goes with the process.
        guard isOver else { return }
        // Closing waits for the disk.
        await withCheckedContinuation { closed in
            DispatchQueue.global().async { [index] in
                index.close()
                closed.resume()
            }
        }
    }

    private func stop() {
        guard !index.stop() else {
            end.settle(true)
            return
        }
        let milliseconds = Int(Self.endLimit / .milliseconds(1))
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [end] in
            end.settle(false)
        }
    }

    /// Many sessions are seen sooner while nothing else works beside them.
    private func release() async {
        await firstScan()
        index.release()
    }

    /// Searches that run or wait.
    var count: Int { searches.load(ordering: .relaxed) }

    /// When a search that comes now is broken off.
    var deadline: ContinuousClock.Instant { .now + Self.timeLimit }

    /// Searches on a thread of its own.
    ///
    /// - Throws: ``Problem`` 503 when too many search already; ``SearchError``, ``StoreError``.
    func search(_ request: SearchRequest) async throws -> SearchPage {
        defer { searches.subtract(1, ordering: .relaxed) }
        guard searches.add(1, ordering: .relaxed).newValue <= Self.maximumSearches else {
            throw Problem.searchBusy
        }
        do {
            return try await threads.runIfActive { [index] in try index.search(request) }
        } catch is NIOThreadPoolError.ThreadPoolInactive {
            throw SearchError.unavailable(reason: "the server is starting or ending")
        }
    }
}
