import Foundation
import RalphTestSupport
import Testing

extension EndToEnd {
    /// `scripts/replay`: an export is proven, and played again to another server.
    struct ReplayTests {
        private func replay(_ arguments: [String], in place: TemporaryDirectory) throws -> ServerProcess {
            try ServerProcess(
                arguments,
                environment: [
                    "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
                    "PYTHONDONTWRITEBYTECODE": "1",
                ], in: place, binary: Samples.packageRoot + "/scripts/replay")
        }

        /// Topic, payload and place of the engine's events.
        private func engineEvents(_ service: Service, _ id: String) async throws -> [String] {
            let probe = try await service.stream("/api/sessions/\(id)/events?tail=all&follow=false")
            return try await probe.eventsToEnd().map { try $0.object() }
                .filter { $0["source"] as? String == "engine" }
                .map { event in
                    let names = ["topic", "payload", "ts", "ts_raw", "hat", "iteration", "triggered", "type"]
                    return names.map { "\(event[$0] ?? "-")" }.joined(separator: "|")
                }
        }

        private func export(_ sample: String?, in place: TemporaryDirectory) async throws -> [String] {
            try FileManager.default.createDirectory(
                atPath: place.path + "/tree", withIntermediateDirectories: true)
            if let sample { try Samples.copy(sample, to: place.path + "/tree/original") }
            let service = try await Service(in: place)
            let id = try await service.session("original", events: 1)
            let fetch = try replay(
                ["--fetch", "http://127.0.0.1:\(service.port)/api/sessions/\(id)/export", "export.ndjson"],
                in: place)
            #expect(try await fetch.exitStatus() == 0, "\(fetch.errors)")
            return try await engineEvents(service, id)
        }

        /// Rows whose time is a number, or whose type is their own.
        private static let oddRows = [
            #"{"ts":1795230001,"topic":"number","payload":"p"}"#,
            #"{"ts":1795230002500,"topic":"milliseconds","payload":"p"}"#,
            #"{"type":"tool.call","tool":"Bash","timestamp":"2026-11-21T03:00:03Z"}"#,
            #"{"ts":"2026-11-21T03:00:04Z","type":"own","topic":"other","payload":"p"}"#,
            #"{"ts":"2026-11-21T03:00:05Z","hat":"builder","topic":"loop.terminate","payload":"p"}"#,
            #"{"ts":"2026-11-21T03:00:06Z","topic":"human.guidance","payload":"p"}"#,
        ]

        @Test(arguments: ["a-normal-multi-hat", "c-guidance-and-steer", nil])
        func `an export is played again to another server`(_ sample: String?) async throws {
            try await withTemporaryDirectory { place in
                if sample == nil {
                    try place.write(
                        "tree/original/.ralph/events.jsonl", Self.oddRows.map { $0 + "\n" }.joined())
                }
                let original = try await export(sample, in: place)
                let second = TemporaryDirectory(path: place.path + "/second")
                try second.write("x", "")
                let play = try replay(
                    ["export.ndjson", "--to", second.path + "/tree/again", "--speed", "1000"], in: place)
                #expect(try await play.exitStatus() == 0, "\(play.errors)")

                let service = try await Service(in: second)
                let id = try await service.session("again", events: original.count)
                #expect(!original.isEmpty)
                #expect(try await engineEvents(service, id) == original)
            }
        }

        @Test func `an export that was changed is refused`() async throws {
            try await withTemporaryDirectory { place in
                _ = try await export("a-normal-multi-hat", in: place)
                let lines = try String(contentsOfFile: place.path + "/export.ndjson", encoding: .utf8)
                    .split(separator: "\n").map(String.init)
                let changed: [(String, [String])] = [
                    ("text", lines.map { $0.replacing("Slice 1", with: "Slice 9") }),
                    ("header", lines.map { $0.replacing("exported_at\":\"2", with: "exported_at\":\"3") }),
                    ("missing", Array(lines[..<5] + lines[6...])), ("torn", Array(lines.dropLast())),
                    ("twice", Array(lines[...5] + lines[5...])),
                    ("swapped", Array(lines[..<5] + [lines[6], lines[5]] + lines[7...])),
                    ("empty", []),
                ]
                for (name, lines) in changed {
                    try place.write("bad.ndjson", lines.map { $0 + "\n" }.joined())
                    for action in [["--verify"], ["--to", place.path + "/never"]] {
                        let script = try replay(["bad.ndjson"] + action, in: place)
                        #expect(try await script.exitStatus() == 1, "\(name)")
                        #expect(script.errors.hasPrefix("replay: refused: bad.ndjson:") || name == "empty")
                    }
                }
                #expect(!FileManager.default.fileExists(atPath: place.path + "/never"))
            }
        }

        @Test func `a directory that holds something is not written`() async throws {
            try await withTemporaryDirectory { place in
                _ = try await export("a-normal-multi-hat", in: place)
                try place.write("full/file", "")
                let script = try replay(["export.ndjson", "--to", "full"], in: place)
                #expect(try await script.exitStatus() == 1)
                #expect(script.errors == "replay: refused: full is there and not empty\n")
                #expect(try place.names(in: "full") == ["file"])
            }
        }
    }
}
