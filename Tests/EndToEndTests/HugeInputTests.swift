import Foundation
import RalphTestSupport
import Testing

extension EndToEnd {
    /// Files that no Ralph would write.
    struct HugeInputTests {
        /// Above what the server may ever take.
        private static let residentLimit = 200 << 20

        /// One line of so many megabytes of one byte. Zeros are what a crash leaves of blocks that were never
        /// written: they count as blank and are not worth an event.
        struct Giant: Sendable, CustomTestStringConvertible {
            let byte: UInt8
            let megabytes: Int
            /// Whether it lies there before the server starts.
            let isFirst: Bool
            var reports: Int { byte == 0 ? 0 : 1 }

            var testDescription: String {
                "\(megabytes) MB of \(byte), \(isFirst ? "before" : "after") the start"
            }
        }

        @Test(arguments: [
            Giant(byte: UInt8(ascii: "x"), megabytes: 100, isFirst: false),
            Giant(byte: UInt8(ascii: "x"), megabytes: 100, isFirst: true),
            Giant(byte: 0, megabytes: 50, isFirst: false), Giant(byte: 0, megabytes: 50, isFirst: true),
        ])
        func `a giant line is skipped told once and takes no memory`(giant: Giant) async throws {
            try await withTemporaryDirectory { place in
                try place.appendLines(1...2, to: "a")
                if giant.isFirst { try write(giant, in: place) }
                let service = try await Service(in: place)
                let id = try await service.session("a", events: 2)
                if !giant.isFirst { try write(giant, in: place) }
                try place.append("tree/a/.ralph/events.jsonl", "\n")
                try place.appendLines(3...4, to: "a")

                let probe = try await service.stream("/api/sessions/\(id)/events?tail=all")
                var payloads: [String] = []
                var skipped = 0
                while payloads.last != "n4", let event = try await probe.event(within: .seconds(20))?.object()
                {
                    if event["topic"] as? String == "events.skipped" {
                        skipped += 1
                    } else {
                        payloads.append(event["payload"] as? String ?? "")
                    }
                }
                #expect(payloads == ["n1", "n2", "n3", "n4"])
                #expect(skipped == giant.reports)
                let status = try await service.get("/api/sessions/\(id)/status").object()
                #expect(status["overlong_lines"] as? Int == giant.reports)
                #expect(service.process.peakResidentBytes < Self.residentLimit)
            }
        }

        @Test func `a file of nothing but zeros is survived`() async throws {
            try await withTemporaryDirectory { place in
                try place.write("tree/a/.ralph/events.jsonl", "")
                try write(Giant(byte: 0, megabytes: 50, isFirst: true), in: place)
                try place.appendLines(1...1, to: "b")
                let service = try await Service(in: place)

                _ = try await service.session("b", events: 1)
                #expect(try await service.health()["sessions"] as? Int == 2)
                #expect(service.process.peakResidentBytes < Self.residentLimit)
            }
        }

        private func write(_ giant: Giant, in place: TemporaryDirectory) throws {
            let file = try #require(FileHandle(forWritingAtPath: place.path + "/tree/a/.ralph/events.jsonl"))
            defer { try? file.close() }  // written or thrown below
            try file.seekToEnd()
            let megabyte = Data(repeating: giant.byte, count: 1 << 20)
            for _ in 0..<giant.megabytes { try file.write(contentsOf: megabyte) }
        }
    }
}
