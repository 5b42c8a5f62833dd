import RalphFeed
import RalphTestSupport
import RalphWire
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ArchiveSegmentTests {
    @Test func `a segment ends with its file, at a server event and after the stride`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                var mixed = batch(3)
                mixed.add(payload: "ours", place: nil)
                mixed.add(payload: "ours", place: nil)
                mixed.append(batch(300, first: 3))
                mixed.append(batch(2, file: "other.jsonl"))
                try feed.append([append(mixed)])

                let segments = try feed.archiveSegments(session(1), from: 1, through: 307)
                #expect(segments.map(\.seq) == [1, 4, 6, 262, 306])
                #expect(segments.map(\.count) == [3, 2, 256, 44, 2])
                #expect(segments.map(\.offset) == [0, -1, 300, 25_900, 0])
                #expect(segments.map { $0.context?.file.first } == ["e", nil, "e", "e", "o"])
                let clipped = try feed.archiveSegments(session(1), from: 100, through: 270)
                #expect(clipped.map(\.count) == [256, 9])
                #expect(try feed.archiveSegments(session(1), from: 308, through: 400).isEmpty)
                #expect(try feed.archiveSegments(session(2), from: 1, through: 9).isEmpty)
            }
        }
    }

    /// A naive model keeps where every single event lies; segments must lead to exactly those places.
    @Test(arguments: [1, 7, 2026] as [UInt64])
    func `segments lead to every event`(seed: UInt64) async throws {
        try await withTemporaryDirectory { directory in
            var random = SeededGenerator(seed: seed)
            var model = ArchiveModel()
            var configuration = settings(directory)
            configuration.archiveStride = 16
            for _ in 0..<4 {
                try withFeed(configuration) { feed in
                    for _ in 0..<60 { try feed.append([append(model.randomBatch(&random))]) }
                    for _ in 0..<200 {
                        let from = Int64.random(in: 1...Int64(model.places.count), using: &random)
                        let through = from + .random(in: 0...300, using: &random)
                        let segments = try feed.archiveSegments(session(1), from: from, through: through)
                        #expect(model.agrees(segments, from, through), "seed \(seed), \(from)...\(through)")
                    }
                }
            }
        }
    }
}
