import Logging
import ServiceLifecycle
import Synchronization

/// Runs services until they have ended, each in its turn, or until that takes too long: who waits for a file system that
/// does not answer is left behind, so that everything else ends.
final class ServiceRun: Sendable {
    /// How long the end may take until all who are left are cancelled at once.
    private static let patience = Duration.seconds(6)
    /// How long then.
    private static let grace = Duration.seconds(1)

    private let group: ServiceGroup
    private let watched: [WatchedService]
    private let early: EarlyEnd
    private let logger: Logger

    /// - Parameters:
    ///   - services: the last one ends first; all in order when one fails.
    ///   - early: knows when the end begins; behind all of `services`.
    init(_ services: [any Service], _ early: EarlyEnd, logger: Logger) {
        watched = (services + [early]).map(WatchedService.init)
        group = ServiceGroup(
            configuration: .init(
                services: watched.map {
                    .init(service: $0, failureTerminationBehavior: .gracefullyShutdownGroup)
                },
                logger: logger))
        (self.early, self.logger) = (early, logger)
    }

    /// Begins the end, also before the beginning.
    func end() async {
        early.begin()
        await group.triggerGracefulShutdown()
    }

    /// Returns when all have ended, or are left behind; call once. Cancelled: the same, and all at once.
    ///
    /// - Throws: why the first service failed.
    func run() async throws {
        let outcome = Landing<Result<Void, any Error>?>()
        // Who is left behind is left to the end of the process.
        let running = Task<Void, Never> { [group] in
            do { outcome.settle(.success(try await group.run())) } catch { outcome.settle(.failure(error)) }
        }
        // Cancelled below.
        let limit = Task<Void, Never> { [early] in
            await early.begun()
            // Cut short means that all have ended.
            guard (try? await Task.sleep(for: Self.patience)) != nil else { return }
            running.cancel()
            // The same here.
            guard (try? await Task.sleep(for: Self.grace)) != nil else { return }
            outcome.settle(nil)
        }
        let result = await withTaskCancellationHandler {
            await outcome.settled()
        } onCancel: {
            running.cancel()
        }
        limit.cancel()
        early.begin()  // whoever waits for it
        if let result { return try result.get() }
        let left = watched.filter { !$0.hasEnded }.map(\.description)
        logger.warning(
            "The end waits no longer: something does not answer",
            metadata: ["services": "\(left.joined(separator: " "))"])
        if let failure = watched.lazy.compactMap(\.failure).first { throw failure }
    }
}

/// A service of which is known what became of it.
private final class WatchedService: Service, CustomStringConvertible {
    private enum Stage {
        case running
        case ended
        case failed(any Error)
    }

    private let service: any Service
    private let stage = Mutex(Stage.running)

    init(_ service: any Service) { self.service = service }

    var description: String { "\(type(of: service))" }
    var hasEnded: Bool { stage.withLock { if case .running = $0 { false } else { true } } }
    /// `nil`: it did not fail, or only by being cancelled.
    var failure: (any Error)? {
        stage.withLock { stage in
            guard case .failed(let error) = stage, !(error is CancellationError) else { return nil }
            return error
        }
    }

    func run() async throws {
        do {
            try await service.run()
            stage.withLock { $0 = .ended }
        } catch {
            stage.withLock { $0 = .failed(error) }
            throw error
        }
    }
}
