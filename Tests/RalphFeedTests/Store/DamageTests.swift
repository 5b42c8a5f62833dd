import Foundation
import Logging
import RalphFeed
import RalphTestSupport
import RalphWire
import Testing

/// Files that cannot be used, disks that are full, stores that are taken.
@Suite(.timeLimit(.minutes(1)))
struct DamageTests {
    /// Writes over the last quarter of the file at `path`.
    private func spoil(_ path: String) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        let size = try file.seekToEnd()
        try file.seek(toOffset: size * 3 / 4)
        try file.write(contentsOf: Data(repeating: 0xFF, count: Int(size / 4)))
        try file.close()
    }

    @Test func `a file that is not a database is moved aside and a new epoch begins`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("state/feed.sqlite", String(repeating: "no database ", count: 1000))

            try withFeed(settings(directory)) { feed in
                try feed.append([append(batch(2))])
                #expect(feed.globalHead == 2)
            }
            #expect(try directory.names(in: "state").contains { $0.hasPrefix("feed.sqlite.corrupt-") })
        }
    }

    @Test func `a file that was removed or replaced while it is open is told of`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                try feed.append([append(batch(2))])
                #expect(feed.damage == nil)

                try directory.remove("state/feed.sqlite")
                #expect(feed.damage?.description.contains("was removed or replaced") == true)
                try directory.write("state/feed.sqlite", "")
                #expect(feed.damage != nil)
            }
        }
    }

    @Test(arguments: [0, 1, 100, 5000])
    func `a truncated file is moved aside, if only with its journal`(bytes: Int) async throws {
        try await withTemporaryDirectory { directory in
            let epoch = try withFeed(settings(directory)) { feed in
                try feed.append([append(batch(500, padding: 300))])
                return feed.epoch
            }
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: settings(directory).path))
            try file.truncate(atOffset: UInt64(bytes))
            try file.close()

            try withFeed(settings(directory)) { feed in
                #expect(feed.epoch != epoch)
                #expect(feed.globalHead == 0)
            }
            let aside = try directory.names(in: "state").filter { $0.hasPrefix("feed.sqlite.corrupt-") }
            #expect(aside.contains { $0.hasSuffix(".journal") })
        }
    }

    @Test func `a file that is gone was damaged where its journal is there, and begins anew once`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let path = settings(directory).path
            try withFeed(settings(directory)) { try $0.append([append(batch(5))]) }
            try directory.remove("state/feed.sqlite")
            let reason = "it is gone, and its journal is still there"
            #expect(StoreCheckup(path: path, within: .seconds(20)).look() == .damaged(reason))

            let epoch = try withFeed(settings(directory)) { feed in
                #expect(feed.globalHead == 0)
                return feed.epoch
            }
            try withFeed(settings(directory)) { #expect($0.epoch == epoch) }
            let names = try directory.names(in: "state").filter { $0.hasSuffix(".journal") }
            #expect(names.count == 2)
        }
    }

    @Test func `damage that is met later is moved aside at the next start`() async throws {
        try await withTemporaryDirectory { directory in
            let epoch = try withFeed(settings(directory)) { feed in
                try feed.append([append(batch(100, padding: 900))])
                return feed.epoch
            }
            try spoil(settings(directory).path)

            try withFeed(settings(directory)) { feed in
                #expect(feed.epoch == epoch)
                #expect(throws: StoreError.self) { try feed.stored(session(1), after: 0, limit: 100) }
            }
            try withFeed(settings(directory)) { feed in
                #expect(feed.epoch != epoch)
                try feed.append([append(batch(1))])
            }
            #expect(try withFeed(settings(directory)) { $0.globalHead } == 1)
            let names = try directory.names(in: "state")
            #expect(names.contains { $0.contains(".corrupt-") })
            #expect(!names.contains { $0.hasSuffix(".damaged") })
        }
    }

    @Test func `damage of a file that was replaced is not noted for the one in its place`() async throws {
        try await withTemporaryDirectory { directory in
            let path = settings(directory).path
            let epoch = try withFeed(settings(directory)) { feed in
                try feed.append([append(batch(100, padding: 900))])
                return feed.epoch
            }
            let good = try Data(contentsOf: URL(fileURLWithPath: path))
            try spoil(path)

            try withFeed(settings(directory)) { feed in
                try FileManager.default.moveItem(atPath: path, toPath: directory.path + "/aside")
                try good.write(to: URL(fileURLWithPath: path))
                #expect(throws: StoreError.self) { try feed.stored(session(1), after: 0, limit: 100) }
                #expect(feed.damage != nil)
            }
            for suffix in ["-wal", "-shm", ".journal"] { unlink(path + suffix) }
            try withFeed(settings(directory)) { feed in
                #expect(feed.epoch == epoch && feed.globalHead == 100)
            }
            #expect(try !directory.names(in: "state").contains { $0.contains(".corrupt-") })
        }
    }

    @Test(arguments: [false, true])
    func `a good file in the place of one that was found damaged is opened`(isRemoved: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let path = settings(directory).path
            let epoch = try withFeed(settings(directory)) { feed in
                try feed.append([append(batch(100, padding: 900))])
                return feed.epoch
            }
            let good = try Data(contentsOf: URL(fileURLWithPath: path))
            try spoil(path)
            try withFeed(settings(directory)) { feed in
                #expect(feed.epoch == epoch)
                #expect(throws: StoreError.self) { try feed.stored(session(1), after: 0, limit: 100) }
            }
            let checkup = StoreCheckup(path: path, within: .seconds(20))
            #expect(checkup.look() == .damaged("it was found damaged at the last run"))

            if isRemoved {
                try directory.remove("state/feed.sqlite")
            } else {
                try FileManager.default.moveItem(atPath: path, toPath: directory.path + "/aside")
            }
            for suffix in ["-wal", "-shm", ".journal"] { unlink(path + suffix) }
            try good.write(to: URL(fileURLWithPath: path))
            #expect(checkup.look() == .healthy(bytes: Int64(good.count)))
            try withFeed(settings(directory)) { feed in
                #expect(feed.epoch == epoch && feed.globalHead == 100)
            }
            let names = try directory.names(in: "state")
            #expect(!names.contains { $0.contains(".corrupt-") || $0.hasSuffix(".damaged") })
        }
    }

    @Test func `a second feed on the same file is refused and told the owner`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { _ in
                let expected = StoreError.inUse(path: settings(directory).path, pid: getpid())
                #expect(throws: expected) {
                    try EventFeed(settings(directory), logger: Logger(label: "test"))
                }
                #expect(expected.description.contains("pid \(getpid())"))
            }
            try withFeed(settings(directory)) { #expect($0.globalHead == 0) }
        }
    }

    @Test func `a second feed is refused though the lock's file was removed`() async throws {
        try await withTemporaryDirectory { directory in
            let path = settings(directory).path
            try withFeed(settings(directory)) { feed in
                try directory.remove("state/feed.sqlite.lock")
                #expect(StoreCheckup(path: path, within: .seconds(20)).look() == .inUse(pid: nil))
                for _ in 1...2 {
                    #expect(throws: StoreError.inUse(path: path, pid: nil)) {
                        try EventFeed(settings(directory), logger: Logger(label: "test"))
                    }
                }
                try feed.append([append(batch(1))])
            }
            try withFeed(settings(directory)) { #expect($0.globalHead == 1) }
        }
    }

    @Test func `a lock that was given back is free, though a child has its descriptor still`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path + "/store"
            let lock = try StoreLock(store: path)
            let copies = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(
                Int32.init
            )
            .filter { descriptor in
                // Another test may have closed it meanwhile.
                let place = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/self/fd/\(descriptor)")
                return place == path + ".lock" || place == directory.path
            }
            .map { dup($0) }
            defer { for copy in copies { close(copy) } }
            #expect(copies.count == 2)

            lock.release()

            try StoreLock(store: path).release()
        }
    }

    @Test func `directory and files are for their owner alone`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                try feed.append([append(batch(1))])
                #expect(try directory.mode("state") == 0o700)
                for suffix in ["", "-wal", "-shm", ".lock"] {
                    #expect(try directory.mode("state/feed.sqlite" + suffix) == 0o600)
                }
            }
        }
    }

    @Test(arguments: ["/proc/ralph/feed.sqlite", "/dev/null/feed.sqlite"])
    func `a place that cannot be written is a clear error`(path: String) throws {
        #expect {
            try EventFeed(FeedConfiguration(path: path), logger: Logger(label: "test"))
        } throws: { error in
            guard case .unwritable(path, _)? = error as? StoreError else { return false }
            return true
        }
    }

    @Test(.enabled(if: FullDisk.canBeMounted, "a small file system cannot be mounted here"))
    func `a full database changes nothing and goes on when there is room`() async throws {
        try await withTemporaryDirectory { directory in
            let small = try #require(FullDisk(below: directory))
            defer { small.unmount() }
            let configuration = FeedConfiguration.copy(
                of: settings(directory), at: small.path + "/feed.sqlite")
            try withFeed(configuration) { feed in
                try feed.append([append(batch(1))])
                let filler = try small.fill()
                var before = try Known(feed)
                var failure: StoreError?
                for _ in 0..<2000 where failure == nil {
                    before = try Known(feed)
                    do throws(StoreError) { try feed.append([append(batch(20))]) } catch { failure = error }
                }
                #expect(failure == .diskFull(path: configuration.path))
                #expect(try Known(feed) == before)

                try FileManager.default.removeItem(atPath: filler)
                try feed.append([append(batch(20))])
                #expect(feed.globalHead == before.globalHead + 20)
            }
        }
    }

    @Test func `a closed feed says so`() async throws {
        try await withTemporaryDirectory { directory in
            let feed = try EventFeed(settings(directory), logger: Logger(label: "test"))
            feed.close()
            feed.close()

            #expect(throws: StoreError.closed) { try feed.append([append(batch(1))]) }
            #expect(throws: StoreError.closed) { try feed.stored(session(1), after: 0, limit: 1) }
        }
    }
}
