import Logging
import RalphFeed
import RalphTestSupport
import RalphWire
import Testing

@Suite(.timeLimit(.minutes(1)))
struct MemoryTailTests {
    @Test func `the oldest blocks leave memory and the store still has them`() async throws {
        try await withTemporaryDirectory { directory in
            var configuration = settings(directory)
            configuration.ring = 1000
            configuration.memoryBytes = 20_000
            try withFeed(configuration) { feed in
                for round in 0..<300 {
                    try feed.append([append(batch(1, first: round), to: UInt64(1 + round % 2))])
                    // Memory lets go of what the tables have.
                    if round % 10 == 0 { feed.checkpointWAL() }
                }

                guard case .older(let oldest) = feed.recent(session(1), after: 0, limitBytes: .max) else {
                    Issue.record("memory should not reach back to the first event")
                    return
                }
                let recent = feed.recent(session(1), after: oldest - 1, limitBytes: .max)
                #expect(recent.slices.first?.firstSeq == oldest)
                #expect(recent.bytes == (try feed.stored(session(1), after: oldest - 1, limit: 1000).bytes))
                let all = feed.recentGlobal(after: 299, limitBytes: .max)
                #expect(all.slices.map(\.lastGlobalID) == [300])
                #expect(recent.bytes.count < configuration.memoryBytes)
                #expect(recent.bytes.count > 2000)
            }
        }
    }

    @Test(arguments: [1, 150, 400, 1000, 100_000])
    func `pages of any size put together are the whole`(limit: Int) async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                for round in 0..<20 {
                    let odd = batch(1 + round % 5, first: round)
                    try feed.append([append(odd), append(batch(2), to: 2)])
                }

                var cursor: Int64 = 0
                var bytes: [UInt8] = []
                while case .blocks(let slices) = feed.recent(session(1), after: cursor, limitBytes: limit) {
                    #expect(slices.first?.firstSeq == cursor + 1)
                    #expect(slices.reduce(0) { $0 + $1.bytes.count } <= max(limit, 200))
                    bytes += slices.flatMap { Array($0.bytes) }
                    cursor = try #require(slices.last?.lastSeq)
                }
                #expect(bytes == (try feed.stored(session(1), after: 0, limit: 100).bytes))

                var global: [Int64] = []
                while case .blocks(let slices) = feed.recentGlobal(after: global.last ?? 0, limitBytes: limit)
                {
                    global += slices.flatMap { Array($0.firstGlobalID...$0.lastGlobalID) }
                }
                #expect(global == Array(1...feed.globalHead))
            }
        }
    }

    @Test func `after a restart memory is empty and says so`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { try $0.append([append(batch(5))]) }

            try withFeed(settings(directory)) { feed in
                guard case .older(6) = feed.recent(session(1), after: 0, limitBytes: 1),
                    case .older(6) = feed.recentGlobal(after: 0, limitBytes: 1),
                    case .caughtUp = feed.recent(session(1), after: 5, limitBytes: 1),
                    case .caughtUp = feed.recent(session(2), after: 0, limitBytes: 1)
                else {
                    Issue.record("an empty memory must tell what is missing")
                    return
                }
            }
        }
    }

    @Test func `blocks of a large batch are cut`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                try feed.append([append(batch(3000, padding: 900))])

                let slices = feed.recent(session(1), after: 0, limitBytes: .max).slices
                #expect(slices.count > 10)
                #expect(slices.allSatisfy { $0.bytes.count < 300_000 })
            }
        }
    }
}
