import RalphFeed
import RalphWire

extension EventFeed {
    /// Appends `count` events of the server's own with payloads of `bytes` each to `session`: no file holds them. The first
    /// one is dated `time`, and each further one `step` later, in milliseconds.
    func appendNotes(
        _ count: Int, of bytes: Int = 1, to session: SessionID, at time: Int64 = 1_770_000_000_000,
        every step: Int64 = 0
    ) throws {
        var batch = EventBatch()
        let padding = String(repeating: "x", count: bytes)
        for number in 0..<count {
            let start = batch.bytes.count
            batch.bytes += Array(#""type":"server.note","topic":"note","payload":"\#(padding)""#.utf8)
            batch.items.append(
                EventBatch.Item(
                    members: start..<batch.bytes.count, topic: start + 29..<start + 33,
                    type: start + 8..<start + 19, timestamp: time + Int64(number) * step, origin: .server,
                    offset: -1, context: -1))
        }
        try append([SessionAppend(id: session, directory: "/w/.ralph", batch: batch)])
    }
}
