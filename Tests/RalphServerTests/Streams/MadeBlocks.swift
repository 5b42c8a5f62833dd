import RalphFeed
import RalphSessions
import RalphWire

/// Blocks without a feed.
enum MadeBlocks {
    /// `count` events of `session`, the first of which is number `firstSeq`, with payloads of so many bytes.
    static func blocks(
        _ count: Int, of session: SessionID, from firstSeq: Int64 = 1, payload bytes: Int = 1
    ) -> [EventBlock] {
        var narrator = SessionNarrator(state: SessionState(), workspace: nil)
        var batch = EventBatch()
        let payload = String(repeating: "x", count: bytes)
        let line = Array(#"{"topic":"note","payload":"\#(payload)","ts":"2026-01-01T00:00:00Z"}"#.utf8)
        while batch.count < count {
            line.withUnsafeBytes {
                narrator.readEngineLine($0, file: "e", generation: 0, offset: 0, fileTime: 0, into: &batch)
            }
        }
        return EventBlock.blocks(of: batch, session: session, firstSeq: firstSeq, globalIDs: { Int64($0) })
    }
}
