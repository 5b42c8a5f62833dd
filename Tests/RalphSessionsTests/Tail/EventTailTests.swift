import Foundation
import RalphTestSupport
import Testing

@testable import RalphSessions

@Suite(.timeLimit(.minutes(1)))
struct EventTailTests {
    /// A tail that reads eight bytes at once and takes lines of up to twenty.
    private static let small: TailLimits = {
        var limits = TailLimits()
        limits.readBytes = 8
        limits.maximumLineBytes = 20
        return limits
    }()

    @Test func `an unfinished last line waits for its newline`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = TailScene(directory)
            try scene.write("{\"a\":1}\n{\"b\"")

            #expect(try scene.read() == ["{\"a\":1}"])
            #expect(try scene.read() == [])
            try scene.append(":2}\n")
            #expect(try scene.read() == ["{\"b\":2}"])
        }
    }

    @Test(arguments: [
        ("a\nb\n", ["a", "b"]), ("\n \n\r\n\t\na\n", ["a"]), ("a\r\n", ["a\r"]),
        ("a\u{85}b\u{2028}c\n", ["a\u{85}b\u{2028}c"]),
        ("\0\0a\n", ["a"]), ("\0\0\0\nb\n", ["b"]), ("a\0b\n", ["a\0b"]), ("", []), ("\n", []), ("a", []),
        ("12345678901234567890\n", ["12345678901234567890"]),
        ("123456789012345678901\na\n", ["skipped 21 at 0", "a"]),
        ("a\n1234567890123456789012345678901234567890\nb\n", ["a", "skipped 40 at 2", "b"]),
        ("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0a\n", ["a"]),
    ])
    func `lines end at a line feed and nowhere else`(text: String, lines: [String]) async throws {
        try await withTemporaryDirectory { directory in
            let scene = TailScene(directory, limits: Self.small)
            try scene.write(text)

            #expect(try scene.read() == lines)
            #expect(try scene.read() == [])
        }
    }

    @Test func `a line is known by where its first byte lies`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = TailScene(directory, limits: Self.small)
            try scene.write("a\n\n\0\0bc\n1234567890123456789012345\nd\n")

            #expect(try scene.offsets() == [0, 5, 34])
        }
    }

    @Test func `a budget ends a read between lines and the next goes on`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = TailScene(directory, limits: Self.small)
            try scene.write((0..<20).map { "line\($0)\n" }.joined())

            var lines = try scene.read(budget: 1)
            #expect(lines == ["line0"] && scene.progress == .more)
            while scene.progress == .more { lines += try scene.read(budget: 1) }
            #expect(lines == (0..<20).map { "line\($0)" })
        }
    }

    @Test func `what grows byte by byte is given once`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = TailScene(directory, limits: Self.small)
            let text = "one\n\0two\n123456789012345678901234567890\n\nthree\n"
            var given: [String] = []
            for byte in text.utf8 {
                try scene.append(String(UnicodeScalar(byte)))
                given += try scene.read()
            }

            #expect(given == ["one", "two", "skipped 30 at 9", "three"])
        }
    }

    @Test func `an unfinished part may be taken back`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = TailScene(directory)
            try scene.write("a\n{\"unfinished")
            #expect(try scene.read() == ["a"])

            try scene.truncate(2)
            try scene.append("b\nc\nd\n")
            #expect(try scene.read() == ["b", "c", "d"])
        }
    }

    @Test func `a line of 100 MB costs no memory and is reported once`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = TailScene(directory)
            try scene.write("a\nx")
            try scene.truncate(100_000_000)
            try scene.append("x")

            #expect(try scene.read(budget: .max) == ["a"])
            try scene.append("\nb\n")
            #expect(try scene.read(budget: .max) == ["skipped 99999999 at 2", "b"])
            #expect(scene.pool.buffer.largestCount < 2_000_000)
        }
    }

    @Test func `a file of NULs is no line and no work`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = TailScene(directory)
            try scene.write("")
            try scene.truncate(30_000_000)

            #expect(try scene.read(budget: .max) == [])
            #expect(scene.progress == .atEnd)
            try scene.append("a\nb\n")
            #expect(try scene.offsets() == [30_000_000, 30_000_002])
        }
    }
}
