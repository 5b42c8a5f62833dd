import Logging
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphFeed

@Suite(.timeLimit(.minutes(1)))
struct RecorderStopTests {
    private func numbered(_ number: Int64) -> NumberedAppend {
        NumberedAppend(
            append: append(batch(1)), firstSeq: number, firstGlobalID: number,
            head: FeedHead(firstKept: 1, last: number, lastGlobalID: number, newestTimestamp: 1))
    }

    @Test func `nothing is recorded behind a stop, where it would hide what waits in the journal`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let (configuration, logger) = (settings(directory), Logger(label: "test"))
            try withFeed(configuration) { _ in }
            let store = try EventStore(configuration, logger: logger)
            let checkpointer = try WALCheckpointer(path: store.path, cap: 1 << 20, logger: logger)
            var heads: [SessionID: FeedHead] = [:]
            let recorder = try AppendRecorder(
                store: store, configuration: configuration, checkpointer: checkpointer, logger: logger,
                heads: &heads)
            try recorder.start()
            try directory.setTables(failing: true)
            try recorder.record([numbered(1)])

            recorder.stop()
            try directory.setTables(failing: false)
            #expect(throws: StoreError.closed) { try recorder.record([numbered(2)]) }
            checkpointer.stop()
            store.closeConnections()

            let seqs = try withFeed(configuration) { try $0.stored(session(1), after: 0, limit: 9).seqs }
            #expect(seqs == [1])
        }
    }
}
