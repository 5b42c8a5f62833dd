import Foundation
import RalphTestSupport
import RalphWire
import Testing

extension EndToEnd {
    /// Figures, over the deaths of the process.
    struct FigureTests {
        /// A minute before the midnight that yesterday began with: the run goes on over it.
        private let start: Int64 = {
            let today = FigureDays.day(of: WallClock.milliseconds())
            return (today - 1) * FigureDays.dayMilliseconds - 60_000
        }()

        private func row(_ number: Int) -> String {
            let time = Timestamp.text(start + Int64(number) * 1000)
            let figures = #"{\"duration_ms\":900,\"cost_usd\":0.01,\"output_tokens\":\#(number)}"#
            let topic = number == 0 ? "task.start" : "iteration.summary"
            return
                #"{"ts":"\#(time)","iteration":\#(number),"hat":"loop","topic":"\#(topic)","payload":"\#(figures)"}"#
                + "\n"
        }

        @Test func `a kill at any moment neither loses nor doubles a figure`() async throws {
            try await withTemporaryDirectory { place in
                let file = "tree/a/.ralph/events.jsonl"
                try place.write(file, row(0) + row(1))
                var written = 1
                for _ in 1...5 {
                    let service = try await Service(in: place)
                    for _ in 1...20 {
                        try place.append(file, row(written + 1) + row(written + 2))
                        written += 2
                    }
                    service.process.kill()
                    _ = try await service.process.exitStatus()
                }
                let service = try await Service(in: place)
                let id = try await service.session("a", events: 3 + written * 4)
                let metrics = try await service.get("/api/sessions/\(id)/metrics").object()

                let totals = try #require(metrics["totals"] as? [String: Any])
                #expect(totals["iterations"] as? Int == written && totals["runs"] as? Int == 1)
                #expect(totals["output_tokens"] as? Int == written * (written + 1) / 2)
                #expect(totals["cost_usd"] as? Double == Double(written) / 100)
                let days = try #require(metrics["days"] as? [[String: Any]])
                #expect(days.map { $0["iterations"] as? Int } == [59, written - 59])
                #expect(days.map { $0["worked_ms"] as? Int }.first == 60_000)
            }
        }
    }
}
