#if os(Linux)
import RalphTestSupport
import Testing

@testable import RalphSessions

@Suite(.timeLimit(.minutes(1))) struct DirectoryWatchesTests {
    private let reader = DirectoryWatches.Reader.scan(.tree)

    @Test func `a watch that ended while events were lost is made again`() async throws {
        try await withTemporaryDirectory { directory in
            let inotify = InotifyWatcher(wakeup: try WatchWakeup(), maximumWatches: nil)
            var watches = DirectoryWatches(inotify: inotify) { _ in nil }
            var isNew = false
            _ = watches.add(reader, to: directory.path, isNew: &isNew)
            #expect(isNew)
            watches.doubtAll()
            isNew = false
            _ = watches.add(reader, to: directory.path, isNew: &isNew)
            #expect(!isNew && inotify.count == 1, "it holds")
            #expect(inotify.watch(directory.path, for: reader.flags, isHeld: true) == .watching(1))
            // The kernel's word of that is lost.
            inotify.unwatch(1)
            inotify.readEvents { _ in }
            isNew = false
            _ = watches.add(reader, to: directory.path, isNew: &isNew)
            #expect(!isNew)

            watches.doubtAll()
            _ = watches.add(reader, to: directory.path, isNew: &isNew)

            #expect(isNew)
            try directory.write("x", "")
            inotify.wait(milliseconds: 10_000)
            var told: [String] = []
            inotify.readEvents { event in
                if watches.readers(of: event.watch)?.readers.contains(reader) == true {
                    told.append(event.name)
                }
            }
            #expect(told.contains("x"))
            // It holds, and is asked for no more.
            isNew = false
            _ = watches.add(reader, to: directory.path, isNew: &isNew)
            #expect(!isNew)
        }
    }
}
#endif
