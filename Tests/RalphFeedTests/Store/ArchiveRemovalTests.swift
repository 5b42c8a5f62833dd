import RalphFeed
import RalphTestSupport
import RalphWire
import Testing

/// What is left of files that are gone for good: those whose bookmark is taken away.
@Suite(.timeLimit(.minutes(1)))
struct ArchiveRemovalTests {
    /// `count` events of the output of a run, each with a context of its own, as pieces of text have.
    private func output(_ name: String, _ count: Int) -> EventBatch {
        var batch = EventBatch()
        for number in 0..<count {
            let context = EventBatch.Context(file: name, generation: 0, iteration: 1, hat: "\(number)")
            batch.add(payload: "\(number)", place: (Int64(number) * 100, batch.contextIndex(context)))
        }
        return batch
    }

    @Test func `of a file that is gone for good one row is left`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                var mixed = batch(2)
                mixed.append(output("agent:1", 300))
                mixed.add(payload: "ours", place: nil)
                mixed.append(output("agent:1", 300))
                mixed.append(batch(5, first: 2))
                mixed.append(output("agent:2", 2))
                try feed.append([append(mixed, checkpoints: ["agent:1": [1], "agent:2": [1]])])
                #expect(try feed.archiveSegments(session(1), from: 1, through: 610).count == 605)

                try feed.append([append(EventBatch(), checkpoints: ["agent:1": []])])
                let segments = try feed.archiveSegments(session(1), from: 1, through: 610)
                #expect(segments.map(\.seq) == [1, 3, 604, 609, 610])
                #expect(segments.map(\.count) == [2, 601, 5, 1, 1])
                #expect(segments.map(\.offset) == [0, -1, 200, 0, 100])
                #expect(segments.map { $0.context?.file.first } == ["e", nil, "e", "a", "a"])
                let beginnings = try feed.archiveBeginnings(session(1))
                #expect(beginnings.map(\.seq) == [609, 1])
                #expect(beginnings.map { $0.context?.file } == ["agent:2", "events.jsonl"])
            }
            #expect(try directory.integer("SELECT count(*) FROM archive_index") == 5)
        }
    }

    @Test func `a removal that ended halfway is finished by the next start`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                var mixed = batch(2)
                mixed.append(output("agent:1", 6000))
                mixed.append(batch(5, first: 2))
                mixed.append(output("agent:1", 1000))
                try feed.append([append(mixed, checkpoints: ["agent:1": [1]])])
                try directory.execute(
                    "CREATE TRIGGER never BEFORE DELETE ON archive_index WHEN old.seq > 6500"
                        + " BEGIN SELECT RAISE(ABORT, 'no'); END")
                try feed.append([append(EventBatch(), checkpoints: ["agent:1": []])])
                // The tables are wanted, and cannot be had whole.
                #expect(throws: StoreError.self) {
                    try feed.archiveSegments(session(1), from: 1, through: 7007)
                }
                let left = try directory.integer("SELECT count(*) FROM archive_index") ?? 0
                #expect((4..<7000).contains(left))
            }
            try directory.execute("DROP TRIGGER never")

            try withFeed(settings(directory)) { feed in
                let segments = try feed.archiveSegments(session(1), from: 1, through: 7007)
                #expect(segments.map(\.seq) == [1, 3, 6003, 6008])
                #expect(segments.map { $0.context?.file } == ["events.jsonl", nil, "events.jsonl", nil])
                #expect(try feed.archiveBeginnings(session(1)).map(\.seq) == [1])
            }
            #expect(try directory.integer("SELECT count(*) FROM archive_index") == 4)
        }
    }

    @Test(arguments: [1, 7, 2026] as [UInt64])
    func `segments lead to every event whose file is not gone`(seed: UInt64) async throws {
        try await withTemporaryDirectory { directory in
            var random = SeededGenerator(seed: seed)
            var model = ArchiveModel()
            var configuration = settings(directory)
            configuration.archiveStride = 16
            for _ in 0..<4 {
                try withFeed(configuration) { feed in
                    for _ in 0..<40 {
                        let batch = model.randomBatch(&random)
                        let known = Set(batch.contexts.map(\.file)).map { ($0, [1] as [UInt8]) }
                        var checkpoints = Dictionary(uniqueKeysWithValues: known)
                        if Int.random(in: 0..<5, using: &random) == 0 {
                            checkpoints[model.removeFile(&random)] = []
                        }
                        try feed.append([append(batch, checkpoints: checkpoints)])
                    }
                    for _ in 0..<200 {
                        let from = Int64.random(in: 1...Int64(model.places.count), using: &random)
                        let through = from + .random(in: 0...300, using: &random)
                        let segments = try feed.archiveSegments(session(1), from: from, through: through)
                        let agrees = model.agrees(segments, from, through)
                        #expect(agrees, "seed \(seed), \(from)...\(through)")
                    }
                    let beginnings = try feed.archiveBeginnings(session(1))
                    #expect(beginnings.map(\.seq).sorted() == model.beginnings)
                }
            }
        }
    }

    @Test func `a store of a version that kept all rows lets go of them`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                var mixed = batch(2)
                mixed.add(payload: "ours", place: nil)
                mixed.append(output("agent:1", 50))
                mixed.add(payload: "ours", place: nil)
                mixed.append(output("agent:2", 3))
                try feed.append([append(mixed, checkpoints: ["agent:2": [1]])])
            }
            try directory.execute("DROP TABLE archive_beginning")
            try directory.execute("DELETE FROM grdb_migrations WHERE identifier = 'archive'")

            try withFeed(settings(directory)) { feed in
                let segments = try feed.archiveSegments(session(1), from: 1, through: 57)
                #expect(segments.map(\.count) == [2, 52, 1, 1, 1])
                #expect(segments.map { $0.context?.file.first } == ["e", nil, "a", "a", "a"])
                #expect(try feed.archiveBeginnings(session(1)).map(\.seq) == [55, 1])
                #expect(try feed.archiveBeginnings(session(1)).map(\.offset) == [0, 0])
            }
        }
    }
}
