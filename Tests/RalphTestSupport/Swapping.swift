import Foundation
import Synchronization

/// Swaps a directory for a link to another one and back, as fast as it can, on a thread of its own.
private final class Swapper: Sendable {
    private let path: String
    private let target: String
    private let isOver = Mutex(false)
    private let hasEnded = Mutex(false)
    private let count = Mutex(0)

    init(_ path: String, _ target: String) {
        self.path = path
        self.target = target
    }

    var isDone: Bool { hasEnded.withLock { $0 } }
    var swaps: Int { count.withLock { $0 } }

    func start() { Thread.detachNewThread { [self] in run() } }

    func end() { isOver.withLock { $0 = true } }

    private func run() {
        let real = path + ".real"
        while !isOver.withLock({ $0 }) {
            guard rename(path, real) == 0 else { continue }
            // What others make in its place meanwhile is put aside.
            while symlink(target, path) != 0 { setAside() }
            count.withLock { $0 += 1 }
            sched_yield()
            while unlink(path) != 0, errno != ENOENT { setAside() }
            while rename(real, path) != 0 { setAside() }
            sched_yield()
        }
        hasEnded.withLock { $0 = true }
    }

    private func setAside() { _ = rename(path, "\(path).made-\(UUID().uuidString)") }
}

/// Runs `body` while the directory at `path` is swapped for a link to `target` and back all the time.
///
/// - Returns: how often it was swapped. The directory is in its place afterwards.
@discardableResult
public func withSwapping(_ path: String, for target: String, _ body: () async throws -> Void) async throws
    -> Int
{
    let swapper = Swapper(path, target)
    swapper.start()
    try await eventually(within: .seconds(10), "the first swap") { swapper.swaps > 0 }
    var failure: (any Error)?
    do { try await body() } catch { failure = error }
    swapper.end()
    try await eventually(within: .seconds(10), "the last swap") { swapper.isDone }
    if let failure { throw failure }
    return swapper.swaps
}
