#if os(Linux)
import Foundation
import RalphTestSupport
import Testing

@testable import RalphSessions

@Suite(.timeLimit(.minutes(1))) struct InotifyWatcherTests {
    private func events(of watcher: InotifyWatcher) -> [InotifyEvent] {
        var events: [InotifyEvent] = []
        watcher.readEvents { events.append($0) }
        return events
    }

    private func makeWatcher(maximumWatches: Int? = nil) throws -> InotifyWatcher {
        InotifyWatcher(wakeup: try WatchWakeup(), maximumWatches: maximumWatches)
    }

    @Test func `writing to a file of a watched directory is told with its name`() async throws {
        try await withTemporaryDirectory { directory in
            let watcher = try makeWatcher()
            guard case .watching(let watch) = watcher.watch(directory.path, for: .contents, isHeld: false)
            else {
                Issue.record("not watched")
                return
            }

            try directory.append("events.jsonl", "x\n")
            watcher.wait(milliseconds: 10_000)

            let events = events(of: watcher)
            #expect(events.allSatisfy { $0.watch == watch && $0.name == "events.jsonl" })
            #expect(events.contains { $0.flags.contains(.modify) })
        }
    }

    @Test func `a signal ends a wait and is used up by it`() async throws {
        let wakeup = try WatchWakeup()
        let watcher = InotifyWatcher(wakeup: wakeup, maximumWatches: nil)
        let clock = ContinuousClock()

        for _ in 0..<100_000 { wakeup.signal() }

        #expect(clock.measure { watcher.wait(milliseconds: 50_000) } < .seconds(20))
        #expect(clock.measure { watcher.wait(milliseconds: 20) } >= .milliseconds(20))
    }

    @Test func `a signal from another thread ends a wait`() throws {
        let wakeup = try WatchWakeup()
        let watcher = InotifyWatcher(wakeup: wakeup, maximumWatches: nil)
        let clock = ContinuousClock()

        Thread.detachNewThread { wakeup.signal() }

        #expect(clock.measure { watcher.wait(milliseconds: 50_000) } < .seconds(20))
    }

    @Test func `watches beyond the limit are refused`() async throws {
        try await withTemporaryDirectory { directory in
            for name in ["a", "b"] { try directory.makeDirectory(name) }
            let watcher = try makeWatcher(maximumWatches: 1)

            guard
                case .watching(let watch) = watcher.watch(directory.path + "/a", for: .entries, isHeld: false)
            else {
                Issue.record("not watched")
                return
            }
            #expect(watcher.watch(directory.path + "/b", for: .entries, isHeld: false) == .refused)

            watcher.unwatch(watch)
            #expect(watcher.watch(directory.path + "/b", for: .entries, isHeld: false) != .refused)
        }
    }

    @Test func `files, links and nothing cannot be watched`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("file", "")
            try directory.link("link", to: ".")
            let watcher = try makeWatcher()

            for name in ["file", "link", "nothing"] {
                let outcome = watcher.watch(directory.path + "/" + name, for: .entries, isHeld: false)
                guard case .failed = outcome else {
                    Issue.record("\(name): \(outcome)")
                    continue
                }
            }
            #expect(watcher.count == 0)
        }
    }
}
#endif
