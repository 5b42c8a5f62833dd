import Foundation
import RalphSessions
import RalphTestSupport

@testable import RalphControl

/// A session directory on disk whose current events file holds the given lines.
struct SessionScene {
    static let events = ".ralph/events-20260101-000000.jsonl"
    static let start =
        #"{"ts":"2026-01-01T00:00:00Z","iteration":0,"hat":"loop","topic":"task.start","payload":"p"}"#
    static let end =
        ###"{"ts":"2026-01-01T00:01:00Z","iteration":1,"hat":"loop","topic":"loop.terminate","payload":"## Reason\nstopped\n\nx"}"###
    static let summary =
        #"{"ts":"2026-01-01T00:00:30Z","iteration":1,"hat":"loop","topic":"iteration.summary","payload":"{}"}"#

    let root: TemporaryDirectory
    let directory: SessionDirectory

    init(_ root: TemporaryDirectory, lines: [String] = [start]) throws {
        self.root = root
        directory = SessionDirectory(path: root.path + "/.ralph", workspace: root.path, layout: .ralph)
        try root.write(".ralph/current-events", Self.events)
        try root.write(Self.events, lines.map { $0 + "\n" }.joined())
    }

    var files: ControlFiles { ControlFiles(directory) }
    var writer: EventsFileWriter { EventsFileWriter(directory) }

    /// The text of a file below the workspace; `nil` without one.
    func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: root.path + "/" + name).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// The objects of the events file, in order; blank lines are left out.
    func rows() throws -> [[String: Any]] {
        try (text(Self.events) ?? "").split(separator: "\n").map { line in
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
        }
    }

    /// The payloads of the rows of `topic`.
    func payloads(of topic: String) throws -> [String] {
        try rows().filter { $0["topic"] as? String == topic }.map { $0["payload"] as? String ?? "" }
    }
}
