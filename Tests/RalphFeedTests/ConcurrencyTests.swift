import Logging
import RalphFeed
import RalphTestSupport
import RalphWire
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ConcurrencyTests {
    @Test func `readers follow without a hole or a repetition while events are appended`() async throws {
        try await withTemporaryDirectory { directory in
            var configuration = settings(directory)
            configuration.ring = 5000
            configuration.memoryBytes = 100_000
            let feed = try EventFeed(configuration, logger: Logger(label: "test"))
            defer { feed.close() }
            let total: Int64 = 3000
            try await withThrowingTaskGroup(of: [Int64].self) { group in
                for _ in 0..<3 { group.addTask { try await follow(feed, to: total) } }
                group.addTask { try await followGlobal(feed, to: 2 * total) }
                group.addTask {
                    for _ in 0..<Int(total) / 10 {
                        try feed.append([append(batch(10), to: 1), append(batch(10), to: 2)])
                        await Task.yield()
                    }
                    return []
                }
                for try await numbers in group where !numbers.isEmpty {
                    #expect(numbers == Array(1...Int64(numbers.count)))
                }
            }
        }
    }

    /// The seqs of session 1 as a subscription would see them: memory, else the store.
    private func follow(_ feed: EventFeed, to last: Int64) async throws -> [Int64] {
        var seqs: [Int64] = []
        while seqs.last ?? 0 < last {
            switch feed.recent(session(1), after: seqs.last ?? 0, limitBytes: 2000) {
            case .caughtUp: await Task.yield()
            case .blocks(let slices): seqs += slices.flatMap { Array($0.firstSeq...$0.lastSeq) }
            case .older: seqs += try feed.stored(session(1), after: seqs.last ?? 0, limit: 50).seqs
            }
        }
        return seqs
    }

    private func followGlobal(_ feed: EventFeed, to last: Int64) async throws -> [Int64] {
        var ids: [Int64] = []
        while ids.last ?? 0 < last {
            switch feed.recentGlobal(after: ids.last ?? 0, limitBytes: 2000) {
            case .caughtUp: await Task.yield()
            case .blocks(let slices): ids += slices.flatMap { Array($0.firstGlobalID...$0.lastGlobalID) }
            case .older: ids += try feed.storedGlobal(after: ids.last ?? 0, limit: 50).globalIDs
            }
        }
        return ids
    }
}
