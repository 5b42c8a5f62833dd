import Foundation
import RalphTestSupport
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct QRCodeTests {
    private static let link =
        "ralphmobile://pair?v=1&h=100.64.0.7:8080&h=%5Bfd7a:115c:a1e0::7%5D:8080&t=0123456789ABCDEFGHJKMNPQRS"

    @Test(.enabled(if: Program("zbarimg") != nil, "zbarimg is not installed"))
    func `a scanner reads the picture back`() async throws {
        try await withTemporaryDirectory { directory in
            for text in [Self.link, "a", String(repeating: "x", count: 1500)] {
                let code = try #require(QRCode(text))
                let file = try directory.write("code.png", bytes: code.png)
                let read = try #require(Program("zbarimg")).output(["--raw", "-q", "--oneshot", file])

                #expect(read.trimmingCharacters(in: .newlines) == text)
            }
        }
    }

    @Test(.enabled(if: Program("file") != nil, "file is not installed"))
    func `the picture is a PNG of the code's size`() async throws {
        try await withTemporaryDirectory { directory in
            let code = try #require(QRCode(Self.link))
            let side = (code.size + 8) * 8
            let file = try directory.write("code.png", bytes: code.png)

            let kind = try #require(Program("file")).output(["-b", file])
            #expect(kind.hasPrefix("PNG image data, \(side) x \(side), 1-bit grayscale"))
        }
    }

    @Test(arguments: [true, false])
    func `the terminal shows every module and the quiet zone`(_ isColoured: Bool) throws {
        let code = try #require(QRCode(Self.link))
        let lines = code.terminalText(isColoured: isColoured).split(separator: "\n").map(Self.withoutColours)
        let side = code.size + 8

        #expect(lines.count == (side + 1) / 2)
        for (index, line) in lines.enumerated() {
            #expect(line.count == side)
            for (column, block) in line.enumerated() {
                let upper = "▀█".contains(block) == isColoured
                let lower = "▄█".contains(block) == isColoured
                #expect(upper == code.isDark(index * 2 - 4, column - 4))
                #expect(lower == code.isDark(index * 2 - 3, column - 4))
            }
        }
    }

    @Test func `colours are there only when asked for`() throws {
        let code = try #require(QRCode("a"))

        #expect(!code.terminalText(isColoured: false).contains("\u{1B}"))
        #expect(code.terminalText(isColoured: true).hasSuffix("\u{1B}[0m\n"))
    }

    @Test func `the SVG has every dark module once`() throws {
        let code = try #require(QRCode(Self.link))
        var dark = 0
        for run in code.svg.matches(of: /M(\d+) (\d+)h(\d+)v1h-(\d+)z/) {
            let (column, row, length) = (Int(run.1) ?? 0, Int(run.2) ?? 0, Int(run.3) ?? 0)
            #expect((column..<column + length).allSatisfy { code.isDark(row - 4, $0 - 4) })
            dark += length
        }
        let all = (0..<code.size * code.size).filter { code.isDark($0 / code.size, $0 % code.size) }

        #expect(dark == all.count)
        #expect(!code.svg.contains("<script"))
    }

    @Test func `the check sums are those of the standards`() {
        #expect(BlackAndWhitePNG.crc32(Array("123456789".utf8)) == 0xCBF4_3926)
        #expect(BlackAndWhitePNG.adler32(Array("Wikipedia".utf8)) == 0x11E6_0398)
    }

    @Test func `what is empty or too long has no code`() {
        #expect(QRCode("") == nil)
        #expect(QRCode(String(repeating: "x", count: 2953))?.size == 177)
        #expect(QRCode(String(repeating: "x", count: 2954)) == nil)
    }

    private static func withoutColours(_ line: Substring) -> String {
        String(line.replacing(/\u{1B}\[[0-9;]*m/, with: ""))
    }
}
