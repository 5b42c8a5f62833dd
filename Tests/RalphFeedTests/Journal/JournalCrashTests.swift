import Foundation
import Logging
import RalphFeed
import RalphTestSupport
import RalphWire
import Testing

/// What the journal alone holds is found again, whatever became of its end.
@Suite(.timeLimit(.minutes(2)))
struct JournalCrashTests {
    @Test(arguments: [1, 7, 2026] as [UInt64])
    func `whenever the process ends, everything recorded is there and once`(seed: UInt64) async throws {
        try await withTemporaryDirectory { directory in
            var appends = AnyAppends(seed: seed)
            try withFeed(settings(directory)) { feed in
                for round in 0..<120 {
                    try feed.append(appends.next())
                    // Asking some of this has the tables written, so that both kinds of state are met.
                    let isAsked = round % 3 == 0
                    let before = isAsked ? try KnownWhole(feed) : nil
                    let copy = try directory.crashed("\(round)")
                    let found = try withFeed(copy) { try KnownWhole($0) }
                    if let before { #expect(found == before) }
                    #expect(try found == KnownWhole(feed))
                }
            }
        }
    }

    @Test func `a store that crashes again and again goes on where it was`() async throws {
        try await withTemporaryDirectory { directory in
            var configuration = settings(directory)
            var appends = AnyAppends(seed: 5)
            var given: [SessionAppend] = []
            for round in 0..<30 {
                let feed = try EventFeed(configuration, logger: Logger(label: "test"))
                for _ in 0..<5 {
                    let next = appends.next()
                    try feed.append(next)
                    given += next
                }
                let next = directory.path + "/round-\(round)/feed.sqlite"
                try FileManager.default.createDirectory(
                    atPath: directory.path + "/round-\(round)", withIntermediateDirectories: true)
                for suffix in TemporaryDirectory.crashSuffixes {
                    try FileManager.default.copyItem(
                        atPath: configuration.path + suffix, toPath: next + suffix)
                }
                feed.close()
                configuration.path = next
            }
            try await withTemporaryDirectory { other in
                let whole = try withFeed(settings(other)) { feed in
                    try feed.append(given)
                    return try KnownWhole(feed)
                }
                var found = try withFeed(configuration) { try KnownWhole($0) }
                found.known.epoch = whole.known.epoch
                #expect(found == whole)
            }
        }
    }

    @Test func `a record that was cut off is left out, and those before it are found`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                try feed.append([append(batch(3), checkpoints: ["a": [1]])])
                let before = try directory.size("state/feed.sqlite.journal")
                try feed.append([append(batch(2), checkpoints: ["a": [2]])])
                let whole = try directory.size("state/feed.sqlite.journal")
                let copy = try directory.crashed("cut")
                let journal = try Data(contentsOf: URL(fileURLWithPath: copy.path + ".journal"))
                for length in stride(from: before, to: whole, by: 13) {
                    let cut = try directory.crashed("\(length)", of: "crash-cut")
                    try journal.prefix(length).write(to: URL(fileURLWithPath: cut.path + ".journal"))
                    try withFeed(cut) { feed in
                        #expect(feed.head(of: session(1))?.last == 3)
                        #expect(try feed.saved(session(1))?.checkpoints == ["a": [1]])
                        try feed.append([append(batch(2), checkpoints: ["a": [2]])])
                        #expect(try feed.stored(session(1), after: 0, limit: 9).seqs == [1, 2, 3, 4, 5])
                    }
                }
                #expect(try withFeed(copy) { $0.head(of: session(1))?.last } == 5)
            }
        }
    }

    @Test func `a byte that was changed costs at most what lies behind it`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                for round in 0..<4 { try feed.append([append(batch(2, first: round))]) }
                let size = try directory.size("state/feed.sqlite.journal")
                _ = try directory.crashed("whole")
                for place in stride(from: 0, to: size, by: 97) {
                    let copy = try directory.crashed("\(place)", of: "crash-whole")
                    let url = URL(fileURLWithPath: copy.path + ".journal")
                    var journal = try Data(contentsOf: url)
                    journal[place] ^= 0x10
                    try journal.write(to: url)
                    try withFeed(copy) { found in
                        #expect(found.globalHead == Int64(place * 4 / size) * 2)
                    }
                }
            }
        }
    }

    @Test func `a journal of another store, or one that does not go on where the tables end, is left out`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let copies = try withFeed(settings(directory)) { feed in
                try feed.append([append(batch(1))])
                let early = try directory.crashed("early")
                try feed.append([append(batch(100, padding: 900))])
                try feed.append([append(batch(4))])
                return (early, try directory.crashed("late"))
            }
            // The tables of the one with the journal of the other: it has the first record still, and no second one.
            try Data(contentsOf: URL(fileURLWithPath: copies.1.path + ".journal"))
                .write(to: URL(fileURLWithPath: copies.0.path + ".journal"))
            #expect(try withFeed(copies.0) { $0.globalHead } == 1)

            try await withTemporaryDirectory { other in
                try withFeed(settings(other)) { try $0.append([append(batch(7))]) }
                try Data(contentsOf: URL(fileURLWithPath: copies.1.path + ".journal"))
                    .write(to: URL(fileURLWithPath: settings(other).path + ".journal"))
                #expect(try withFeed(settings(other)) { $0.globalHead } == 7)
            }
        }
    }

    @Test(arguments: [(100, 1000), (1000, 100)])
    func `another ring is for what the journal held as well`(old: Int, new: Int) async throws {
        try await withTemporaryDirectory { directory in
            var configuration = settings(directory)
            configuration.ring = old
            try withFeed(configuration) { feed in
                for round in 0..<150 { try feed.append([append(batch(1, first: round))]) }
                var copy = try directory.crashed("copy")
                copy.ring = new
                let (head, seqs) = try withFeed(copy) { found in
                    (found.head(of: session(1)), try found.stored(session(1), after: 0, limit: 999).seqs)
                }
                #expect(head?.firstKept == 151 - Int64(min(old, new, 150)))
                #expect(seqs.last == 150)
            }
        }
    }
}
