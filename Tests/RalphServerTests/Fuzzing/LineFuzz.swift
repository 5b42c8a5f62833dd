import Foundation
import RalphWire

@testable import RalphSessions

/// A file, read by ``LineReader`` at once and in pieces, and its lines as events and as output of a run.
///
/// Input: bytes of a read, bytes that the file grows by, then the file.
enum LineFuzz {
    /// What a reader gave, kept beyond the call.
    private struct Line: Equatable {
        let bytes: [UInt8]
        let offset: Int64
        let length: Int64
    }

    /// Small enough that short inputs have lines that are too long.
    private static let maximumLineBytes = 512

    static func run(_ input: FuzzInput) throws(FuzzFinding) {
        var input = input
        let readBytes = 1 + Int(input.byte())
        let growth = max(1 + Int64(input.byte()), Int64(input.rest.count / 64))
        let bytes = Array(input.rest)
        let file = try ScratchFile.open(bytes)
        let size = Int64(bytes.count)
        let whole = try read(file, size: size, readBytes: 1 << 16, growth: max(1, size))
        let pieces = try read(file, size: size, readBytes: readBytes, growth: growth)
        try promise(whole == pieces, "lines do not depend on how they were read: \(whole) \(pieces)")

        let narrated = narrate(whole.filter { !$0.bytes.isEmpty }.map(\.bytes))
        try EventPromises.check(narrated)
    }

    /// All lines of `file`, which grows up to `size`, and what is unfinished at its end.
    private static func read(
        _ file: OpenFile, size: Int64, readBytes: Int, growth: Int64
    ) throws(FuzzFinding) -> [Line] {
        var limits = TailLimits()
        limits.maximumLineBytes = maximumLineBytes
        limits.readBytes = readBytes
        var reader = LineReader(limits: limits)
        let buffer = ReadBuffer(count: readBytes)
        var (lines, end): ([Line], Int64) = ([], min(growth, size))
        do {
            for _ in 0..<100_000 {
                let step = try reader.step(file, buffer: buffer, end: end) { lines += line($0) }
                guard case .read(_, let isAtEnd) = step else {
                    throw FuzzFinding(text: "a file that only grew counts as changed")
                }
                guard isAtEnd else { continue }
                if end == size {
                    let rest = try reader.unfinishedLine(of: file)
                    return lines + [Line(bytes: rest.bytes, offset: rest.offset, length: rest.length)]
                }
                end = min(size, end + growth)
            }
        } catch let finding as FuzzFinding {
            throw finding
        } catch {
            throw FuzzFinding(text: "a file of its own cannot be read: \(error)")
        }
        throw FuzzFinding(text: "reading does not come to an end")
    }

    private static func line(_ item: TailItem) -> [Line] {
        switch item {
        case .line(let bytes, let offset):
            [Line(bytes: Array(bytes), offset: offset, length: Int64(bytes.count))]
        case .overlongLine(let length, let offset): [Line(bytes: [], offset: offset, length: length)]
        case .change, .lostLine: []
        }
    }

    /// The events of `lines`, read as an events file and as a run's output.
    private static func narrate(_ lines: [[UInt8]]) -> EventBatch {
        var narrator = SessionNarrator(state: SessionState(), workspace: nil)
        var batch = EventBatch()
        for line in lines {
            // Memory of just this size, so that a byte too many is seen.
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: line.count, alignment: 1)
            defer { memory.deallocate() }
            memory.copyBytes(from: line)
            let bytes = UnsafeRawBufferPointer(memory)
            narrator.readEngineLine(bytes, file: "e", generation: 0, offset: 0, fileTime: 0, into: &batch)
            narrator.readAgentLine(
                bytes, file: "agent:a", generation: 0, offset: 0, fileTime: 0, into: &batch)
        }
        narrator.finishAgentRead(into: &batch)
        return batch
    }
}
