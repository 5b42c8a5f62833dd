import Foundation
import RalphFeed
import RalphSessions
import RalphWire

/// A session with one events file, its tail, and the feed that the tail's events go to.
final class EventsFile {
    private let fixture: Fixture
    private let tail: SessionTail
    private let session: DiscoveredSession
    private let handle: FileHandle
    private let text: Data

    /// - Parameter lines: how many lines one ``write()`` appends, of about 300 bytes each.
    init(lines: Int) throws {
        fixture = try Fixture()
        let workspace = fixture.directory + "/workspace"
        let directory = workspace + "/.ralph"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let path = directory + "/events.jsonl"
        guard FileManager.default.createFile(atPath: path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown)
        }
        handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        session = DiscoveredSession(
            directory: SessionDirectory(path: directory, workspace: workspace, layout: .ralph))
        tail = SessionTail(session: session, saved: nil, limits: TailLimits(), logger: Fixture.logger)
        let padding = String(repeating: "x", count: 200)
        let time = "2026-02-05T10:30:45.123456789+00:00"
        let line = #"{"payload":"\#(padding)","topic":"note.added","ts":"\#(time)"}"# + "\n"
        text = Data(String(repeating: line, count: lines).utf8)
        _ = try readAndStore()
    }

    /// Appends the lines in one write.
    func write() throws { try handle.write(contentsOf: text) }

    /// Reads what is new and stores it; gives how many events that were.
    func readAndStore() throws -> Int {
        var count = 0
        while true {
            let read = tail.read(changed: ["events.jsonl"], budget: 4 << 20, now: 1_770_287_445_123)
            let append = SessionAppend(
                id: read.id, directory: session.directory.path, batch: read.batch,
                checkpoints: read.checkpoints)
            try fixture.feed.append([append])
            count += read.batch.count
            guard read.hasMore else { return count }
        }
    }

    /// Closes everything and removes it.
    func remove() {
        try? handle.close()  // everything is written; the file is removed next
        fixture.remove()
    }
}
