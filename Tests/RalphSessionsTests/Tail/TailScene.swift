import Foundation
import RalphTestSupport
import Testing

@testable import RalphSessions

/// One file, and a tail of it that remembers what it gave.
final class TailScene {
    let directory: TemporaryDirectory
    let limits: TailLimits
    let pool: FilePool
    private let isOutput: Bool
    private(set) var tail: EventTail
    private(set) var progress = EventTail.Progress.atEnd
    var path: String { directory.path + "/events.jsonl" }

    init(_ directory: TemporaryDirectory, isOutput: Bool = false, limits: TailLimits = TailLimits()) {
        self.directory = directory
        self.isOutput = isOutput
        self.limits = limits
        pool = FilePool(limits: limits)
        tail = EventTail(
            path: directory.path + "/events.jsonl", isOutput: isOutput, limits: limits, pool: pool)
    }

    func write(_ text: String) throws { try directory.write("events.jsonl", text) }
    func append(_ text: String) throws { try directory.append("events.jsonl", text) }

    /// Puts another file with `text` in place of the one there.
    func replace(_ text: String) throws {
        try directory.write("new", text)
        guard rename(directory.path + "/new", path) == 0 else { throw POSIXError(.EIO) }
    }

    func truncate(_ size: Int) throws {
        guard Foundation.truncate(path, off_t(size)) == 0 else { throw POSIXError(.EIO) }
    }

    /// Goes on with a new tail from the position of the one before.
    func restart() throws {
        let position = try #require(TailPosition(encoded: tail.position.encoded))
        tail = EventTail(path: path, position: position, isOutput: isOutput, limits: limits, pool: pool)
    }

    /// What a read gives: lines as they are, `skipped 9 at 4`, `lost 3 at 0`, `truncated`.
    func read(budget: Int = 1 << 20) throws -> [String] {
        var given: [String] = []
        var budget = budget
        progress = try tail.readAvailable(upTo: &budget) { item in
            switch item {
            case .line(let line, _): given.append(String(decoding: line, as: UTF8.self))
            case .overlongLine(let bytes, let offset): given.append("skipped \(bytes) at \(offset)")
            case .lostLine(let bytes, let offset): given.append("lost \(bytes) at \(offset)")
            case .change(let change): given.append(change.rawValue)
            }
        }
        return given
    }

    /// Where each line of a read begins.
    func offsets() throws -> [Int64] {
        var given: [Int64] = []
        var budget = Int.max
        _ = try tail.readAvailable(upTo: &budget) { item in
            if case .line(_, let offset) = item { given.append(offset) }
        }
        return given
    }
}
