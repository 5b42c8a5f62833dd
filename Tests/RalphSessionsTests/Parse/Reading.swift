import Foundation
import RalphWire

@testable import RalphSessions

/// A narrator that is fed by hand, and what it told.
struct Reading {
    static let engineFile = "events-20261121-032036.jsonl"
    static let agentFile = "agent:rpc-stdout.jsonl"
    /// 2026-11-21T22:26:40Z.
    static let fileTime: Int64 = 1_795_300_000_000

    var narrator: SessionNarrator
    /// When the files that are read were written last.
    var fileTime = Self.fileTime
    var batch = EventBatch()
    private var offsets: [String: Int64] = [:]

    init(config: String? = nil) {
        narrator = SessionNarrator(
            state: SessionState(), workspace: config.flatMap(WorkspaceConfig.init(yaml:)))
    }

    /// Reads each line of `text` as part of an events file.
    mutating func engine(_ text: String, file: String = engineFile) {
        engine(Array(text.utf8), file: file)
    }

    mutating func engine(_ bytes: [UInt8], file: String = engineFile) {
        forEachLine(bytes, file) { reading, line, offset in
            reading.narrator.readEngineLine(
                line, file: file, generation: 0, offset: offset, fileTime: reading.fileTime,
                into: &reading.batch
            )
        }
    }

    /// Reads each line of `text` as part of a run's output, in one read.
    mutating func agent(_ text: String, file: String = agentFile) {
        forEachLine(Array(text.utf8), file) { reading, line, offset in
            reading.narrator.readAgentLine(
                line, file: file, generation: 0, offset: offset, fileTime: reading.fileTime,
                into: &reading.batch
            )
        }
        narrator.finishAgentRead(into: &batch)
    }

    /// Lets so much time pass that what waits for nothing else ends or starts.
    mutating func passTime(_ milliseconds: Int64 = 5000) {
        narrator.releaseEnd(into: &batch)
        if narrator.dueStart != nil, narrator.startDelay <= milliseconds {
            narrator.releaseStart(isDue: true, into: &batch)
        }
        if let stop = narrator.heldStop, stop.delay <= milliseconds { narrator.releaseStop(into: &batch) }
    }

    /// Gives a note of the control side.
    mutating func note(_ note: ControlNote) { narrator.note(note, into: &batch) }

    private mutating func forEachLine(
        _ bytes: [UInt8], _ file: String, _ read: (inout Reading, UnsafeRawBufferPointer, Int64) -> Void
    ) {
        var offset = offsets[file, default: 0]
        for line in bytes.split(separator: 10, omittingEmptySubsequences: false) {
            if !line.isEmpty { line.withUnsafeBytes { read(&self, $0, offset) } }
            offset += Int64(line.count + 1)
        }
        offsets[file] = bytes.last == 10 ? offset - 1 : offset
    }

    /// The members of every event, with `{}` around them.
    var texts: [String] { batch.items.map { "{" + batch.text($0.members) + "}" } }

    /// Every event, decoded.
    func events(_ origin: EventOrigin? = nil) throws -> [[String: Any]] {
        try batch.items.filter { origin == nil || $0.origin == origin }.map { item in
            let text = "{" + batch.text(item.members) + "}"
            return try decode(text)
        }
    }

    /// The topics in their order.
    func topics(_ origin: EventOrigin? = nil) -> [String] {
        batch.items.filter { origin == nil || $0.origin == origin }.map { batch.text($0.topic) }
    }

    /// The newest event with this topic.
    func last(_ topic: String) throws -> [String: Any] {
        try events().last { $0["topic"] as? String == topic } ?? [:]
    }
}

/// The one event that a line of an events file gives.
func event(of line: String) throws -> [String: Any] {
    var reading = Reading()
    reading.engine(line)
    return try reading.events(.engine).first ?? [:]
}

struct NotAnObject: Error {
    let text: String
}

func decode(_ text: String) throws -> [String: Any] {
    guard let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
        throw NotAnObject(text: text)
    }
    return object
}

/// The recorded sessions that ship with the project.
enum Samples {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../sessions").standardizedFileURL.path

    /// Paths below ``root`` of all events files.
    static var eventsFiles: [String] { files { $0.hasPrefix("events") } }
    /// Paths below ``root`` of all `--rpc` outputs.
    static var outputFiles: [String] { files { $0 == "rpc-stdout.jsonl" } }

    static func bytes(_ path: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(fileURLWithPath: root + "/" + path)))
    }

    static func text(_ path: String) throws -> String {
        String(decoding: try bytes(path), as: UTF8.self)
    }

    private static func files(_ isWanted: (String) -> Bool) -> [String] {
        let all = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return all.filter { $0.hasSuffix(".jsonl") && isWanted(($0 as NSString).lastPathComponent) }.sorted()
    }
}
