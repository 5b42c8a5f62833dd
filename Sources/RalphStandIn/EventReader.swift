import Foundation
import Glibc

/// Reads an events file the way ralph does (contract 2.4), with its weaknesses.
struct EventReader {
    /// One reading.
    struct Batch {
        var events: [IncomingEvent] = []
        /// The beginnings of the lines that are none.
        var malformed: [String] = []
    }

    private let path: String
    private var position: Int

    /// Starts at the end of the file as it is now.
    init(path: String) {
        self.path = path
        position = FileManager.default.contents(atPath: path)?.count ?? 0
    }

    /// All that is new. A last line without its newline is consumed as it is, and the position moves on past the
    /// newline that it does not have. A file with invalid UTF-8 is never read again.
    mutating func read() -> Batch {
        guard let data = FileManager.default.contents(atPath: path), data.count > position,
            let text = String(validating: data.dropFirst(position), as: UTF8.self)
        else { return Batch() }
        var batch = Batch()
        var rest = text.utf8[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            let line = String(rest[..<end]) ?? ""
            position += line.utf8.count + 1
            rest = end < rest.endIndex ? rest[rest.index(after: end)...] : rest[end...]
            batch.add(line)
        }
        return batch
    }

    /// For `--continue`: the topics of the whole file, and what was written after its last `loop.terminate` if
    /// there is one (contract 4.5).
    static func replay(_ path: String) -> (topics: Set<String>, events: [IncomingEvent]) {
        let lines = (TextFile.read(path) ?? "").split(separator: "\n").map(String.init)
        let events = lines.compactMap(IncomingEvent.init(line:))
        let last = events.lastIndex { $0.topic == "loop.terminate" }
        return (Set(events.map(\.topic)), last.map { Array(events[($0 + 1)...]) } ?? [])
    }
}

extension EventReader.Batch {
    /// Of a malformed line, bytes.
    private static let maximumContentBytes = 100

    fileprivate mutating func add(_ line: String) {
        if line.allSatisfy(\.isWhitespace) { return }
        if let event = IncomingEvent(line: line) {
            events.append(event)
        } else {
            malformed.append(String(decoding: line.utf8.prefix(Self.maximumContentBytes), as: UTF8.self))
        }
    }
}
