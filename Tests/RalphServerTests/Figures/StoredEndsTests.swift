import Logging
import RalphFeed
import RalphSessions
import RalphTestSupport
import RalphWire
import Synchronization
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct StoredEndsTests {
    private static let session = SessionID(digestPrefix: 1)

    @Test func `a stored state is read once until something is appended`() async throws {
        try await withTemporaryDirectory { directory in
            let feed = try EventFeed(
                FeedConfiguration(path: directory.path + "/feed.sqlite"), logger: Logger(label: "test"))
            defer { feed.close() }
            let reads = Atomic<Int64>(0)
            let ends = StoredEnds(feed: feed) { _ in
                var state = SessionState()
                state.lastEventAt = reads.wrappingAdd(1, ordering: .relaxed).newValue
                return state
            }
            for end in [1, 2] as [Int64] {
                try feed.appendNotes(1, to: Self.session)
                for _ in 0..<3 { #expect(ends.lastEventAt(Self.session) == end) }
            }
        }
    }

    @Test func `what cannot be read is asked for again`() async throws {
        try await withTemporaryDirectory { directory in
            let feed = try EventFeed(
                FeedConfiguration(path: directory.path + "/feed.sqlite"), logger: Logger(label: "test"))
            defer { feed.close() }
            let isReadable = Atomic(false)
            let ends = StoredEnds(feed: feed) { _ in
                guard isReadable.exchange(true, ordering: .relaxed) else { return nil }
                var state = SessionState()
                state.lastEventAt = 7
                return state
            }

            #expect(ends.lastEventAt(Self.session) == nil)
            #expect(ends.lastEventAt(Self.session) == 7)
        }
    }
}
