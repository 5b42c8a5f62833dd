import Foundation
import RalphTestSupport
import RalphWire
import Testing

extension EndToEnd {
    /// What outlives the process.
    struct RestartTests {
        @Test func `a killed server goes on exactly where it was`() async throws {
            try await withTemporaryDirectory { place in
                try place.appendLines(1...10, to: "a")
                let first = try await Service(in: place)
                let id = try await first.session("a", events: 10)
                let epoch = try #require(try await first.health()["epoch"] as? String)
                let probe = try await first.stream("/api/sessions/\(id)/events")
                #expect(try await probe.eventIDs(10) == Array(1...10))
                first.process.kill()
                #expect(try await first.process.exitStatus() == 137)
                try await probe.waitForClose()

                try place.appendLines(11...15, to: "a")
                let second = try await Service(in: place)
                #expect(try await second.session("a", events: 15) == id)
                #expect(try await second.health()["epoch"] as? String == epoch)
                let resumed = try await second.stream("/api/sessions/\(id)/events", lastEventID: 7)
                #expect(try await resumed.eventIDs(8) == Array(8...15))
                try place.appendLines(16...17, to: "a")
                #expect(try await resumed.eventIDs(2) == [16, 17])
                #expect(try await second.payloads(id) == (1...17).map { "n\($0)" })
            }
        }

        @Test func `a kill between two lines loses and doubles none of them`() async throws {
            try await withTemporaryDirectory { place in
                try place.appendLines(1...1, to: "a")
                var written = 1
                for _ in 1...5 {
                    let service = try await Service(in: place)
                    for _ in 1...20 {
                        try place.appendLines(written + 1...written + 10, to: "a")
                        written += 10
                    }
                    service.process.kill()
                    _ = try await service.process.exitStatus()
                }
                let service = try await Service(in: place)
                let id = try await service.session("a", events: written)

                #expect(try await service.payloads(id) == (1...written).map { "n\($0)" })
            }
        }

        @Test func `a session is after a restart what it was before`() async throws {
            try await withTemporaryDirectory { place in
                let now = Timestamp.text(WallClock.milliseconds())
                let start = #"{"ts":"2026-11-21T03:00:00Z","iteration":0,"hat":"loop","topic":"task.start"}"#
                try place.append("tree/a/.ralph/events.jsonl", start + "\n" + line(1, now))
                var objects: [[String: Any]] = []
                for _ in 1...2 {
                    let service = try await Service(in: place)
                    let id = try await service.session("a", events: 4)
                    objects.append(try await service.get("/api/sessions/\(id)/status").object())
                    service.process.signal(SIGTERM)
                    _ = try await service.process.exitStatus()
                }

                #expect(objects.map { $0["last_event_at"] as? String } == [now, now])
                #expect(objects.map { $0["status"] as? String } == ["running", "running"])
                #expect(
                    objects.map { $0["started_at"] as? String }
                        == Array(repeating: "2026-11-21T03:00:00.000Z", count: 2))
            }
        }

        @Test func `a row that is older than one before it puts no session back at a restart`() async throws {
            try await withTemporaryDirectory { place in
                let now = WallClock.milliseconds()
                let newest = Timestamp.text(now - 5000)
                try place.append("tree/a/.ralph/events.jsonl", line(1, Timestamp.text(now - 600_000)))
                var told: [String?] = []
                for round in 1...2 {
                    let service = try await Service(in: place)
                    let id = try await service.session("a", events: round == 1 ? 1 : 3)
                    if round == 1 {
                        try place.append("tree/a/.ralph/events.jsonl", line(2, newest))
                        _ = try await service.session("a", events: 2)
                        try place.append(
                            "tree/a/.ralph/events.jsonl", line(3, Timestamp.text(now - 500_000)))
                        _ = try await service.session("a", events: 3)
                    }
                    let status = try await service.get("/api/sessions/\(id)/status").object()
                    told.append(status["last_event_at"] as? String)
                    service.process.signal(SIGTERM)
                    _ = try await service.process.exitStatus()
                }
                #expect(told == [newest, newest])
            }
        }

        @Test func `neither a wrong date nor an event of our own makes an old session run`() async throws {
            try await withTemporaryDirectory { place in
                try place.write(
                    "tree/a/.ralph/events.jsonl",
                    line(1, "2026-11-20T03:00:00Z") + line(2, "2999-01-01T00:00:00Z"))
                let file = place.path + "/tree/a/.ralph/events.jsonl"
                let old = Date(timeIntervalSince1970: 1_795_000_000)
                try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: file)
                var objects: [[String: Any]] = []
                for round in 1...4 {
                    let service = try await Service(in: place)
                    let id = try await service.session("a", events: round < 3 ? 2 : 3)
                    objects.append(try await service.get("/api/sessions/\(id)/status").object())
                    service.process.signal(SIGTERM)
                    _ = try await service.process.exitStatus()
                    // What the next one finds is an event of its own: `events.truncated`.
                    if round == 2 { try place.write("tree/a/.ralph/events.jsonl", "") }
                }

                #expect(objects.map { $0["status"] as? String } == Array(repeating: "idle", count: 4))
                #expect(Set(objects.map { $0["last_event_at"] as? String }).count == 1)
            }
        }

        @Test func `times that go back keep their order and all arrive`() async throws {
            try await withTemporaryDirectory { place in
                try place.write("tree/a/.ralph/events.jsonl", line(1, "2026-11-21T12:00:00Z"))
                let service = try await Service(in: place)
                let id = try await service.session("a", events: 1)
                let probe = try await service.stream("/api/sessions/\(id)/events")
                let times = [
                    "2026-11-21T11:00:00Z", "2026-11-20T12:00:00Z", "1970-01-01T00:00:00Z",
                    "2036-11-21T12:00:00Z",
                    "2026-11-21T12:00:01Z",
                ]
                for (index, time) in times.enumerated() {
                    try place.append("tree/a/.ralph/events.jsonl", line(index + 2, time))
                }
                var seqs: [Int?] = []
                var payloads: [String?] = []
                while seqs.count < 6, let event = try await probe.event()?.object() {
                    seqs.append(event["seq"] as? Int)
                    payloads.append(event["payload"] as? String)
                }

                #expect(seqs == [1, 2, 3, 4, 5, 6])
                #expect(payloads == (1...6).map { "n\($0)" })
            }
        }

        private func line(_ number: Int, _ time: String) -> String {
            #"{"topic":"note.line","ts":"\#(time)","payload":"n\#(number)"}"# + "\n"
        }
    }
}
