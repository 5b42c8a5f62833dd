import Foundation
import RalphTestSupport
import Testing

@testable import RalphControl
@testable import RalphSessions

@Suite(.timeLimit(.minutes(1))) struct RunOutputTests {
    private static let cap: Int64 = 1 << 20

    /// Lines of 100 bytes with their number, from `first` on.
    private static func lines(_ range: Range<Int>) -> String {
        range.map { number in
            let text = "line \(number) "
            return text + String(repeating: ".", count: 99 - text.utf8.count) + "\n"
        }.joined()
    }

    private func allocated(_ path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_blocks) * 512 : -1
    }

    private func read(_ tail: EventTail) throws -> [String] {
        var given: [String] = []
        var budget = Int.max
        _ = try tail.readAvailable(upTo: &budget) { item in
            switch item {
            case .line(let line, _): given.append(String(decoding: line.prefix(12), as: UTF8.self))
            case .overlongLine(let bytes, _): given.append("overlong \(bytes)")
            case .change(let change): given.append("\(change)")
            case .lostLine(let bytes, _): given.append("lost \(bytes)")
            }
        }
        return given
    }

    @Test func `a file above the cap gives its oldest part back and keeps its size`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try directory.write("out", Self.lines(0..<30_000))
            let before = allocated(path)

            let freed = try #require(RunOutput.trim(path, capBytes: Self.cap))

            #expect(freed > 2 << 20)
            #expect(allocated(path) == before - freed)
            #expect(allocated(path) <= Self.cap)
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(bytes.count == 3_000_000)
            #expect(bytes.suffix(100) == Data(Self.lines(29_999..<30_000).utf8))
            #expect(bytes.prefix(100) == Data(Self.lines(0..<1).utf8))
            #expect(RunOutput.trim(path, capBytes: Self.cap) == 0)
        }
    }

    @Test func `a tail goes on behind a hole as if nothing had happened`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try directory.write("out", Self.lines(0..<30_000))
            let limits = TailLimits()
            let pool = FilePool(limits: limits)
            let tail = EventTail(path: path, limits: limits, pool: pool)
            #expect(try read(tail).count == 30_000)
            let position = tail.position

            #expect(try #require(RunOutput.trim(path, capBytes: Self.cap)) > 0)
            try directory.append("out", Self.lines(30_000..<30_002))

            #expect(try read(tail).map { $0.prefix(10) } == ["line 30000", "line 30001"])
            let other = EventTail(path: path, position: position, limits: limits, pool: pool)
            #expect(try read(other).map { $0.prefix(10) } == ["line 30000", "line 30001"])
        }
    }

    @Test func `a tail that begins anew loses no line behind the hole`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try directory.write("out", Self.lines(0..<30_000))
            #expect(try #require(RunOutput.trim(path, capBytes: Self.cap)) > 0)
            let limits = TailLimits()

            let given = try read(EventTail(path: path, limits: limits, pool: FilePool(limits: limits)))

            #expect(given.filter { $0.hasPrefix("overlong") }.count == 1)
            #expect(given.last?.hasPrefix("line 29999") == true)
            #expect(given.suffix(5000).allSatisfy { $0.hasPrefix("line 2") })
        }
    }

    @Test func `what was not read yet is not given back`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try directory.write("out", Self.lines(0..<30_000))

            let freed = try #require(RunOutput.trim(path, capBytes: Self.cap, before: 1_000_000))

            #expect((800_000...1_000_000).contains(freed))
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(bytes[1_000_000...] == Data(Self.lines(10_000..<30_000).utf8)[0...])
            #expect(RunOutput.trim(path, capBytes: Self.cap, before: 0) == 0)
        }
    }

    @Test func `what is no file of ours is left alone`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try directory.write("small", Self.lines(0..<10))
            #expect(symlink(path, directory.path + "/link") == 0)
            #expect(mkfifo(directory.path + "/fifo", 0o600) == 0)

            #expect(RunOutput.trim(path, capBytes: Self.cap) == 0)
            for name in ["none", "link", "fifo", "."] {
                #expect(RunOutput.trim("\(directory.path)/\(name)", capBytes: 0) == nil)
            }
        }
    }
}
