import NIOHTTP1
import Testing

@testable import RalphServer

struct MetricsTextTests {
    @Test func `whatever a label holds is read back`() throws {
        var text = MetricsText()
        text.family("x_total", .counter, "A \\ and\na line.")
        let values = ["", "a\"b", "\\", "\\n", "line\nend", "ü{},="]
        for value in values { text.sample("x_total", [("l", value)], 1) }
        let read = try ExpositionReader(String(decoding: text.bytes, as: UTF8.self))

        #expect(read.families["ralph_mobile_x_total"]?.samples.map { $0["l"] } == values)
        #expect(read.families["ralph_mobile_x_total"]?.help == "A \\\\ and\\na line.")
    }

    @Test(arguments: [(1e-9, "1e-09"), (0.5, "0.5"), (3, "3.0"), (.infinity, "+Inf"), (-.infinity, "-Inf")])
    func `numbers are written as the format reads them`(_ value: Double, _ expected: String) throws {
        var text = MetricsText()
        text.add("x", .gauge, "X.", value)
        let line = String(decoding: text.bytes, as: UTF8.self).split(separator: "\n").last

        #expect(line == "ralph_mobile_x \(expected)")
    }

    @Test(arguments: [
        (0, 0), (500_000, 0), (500_001, 1), (30_000_000_000, 14), (30_000_000_001, 15), (-5, 0),
    ])
    func `a duration falls into the bucket whose bound it does not pass`(_ nanoseconds: Int64, _ bucket: Int)
    {
        var histogram = DurationHistogram()
        histogram.observe(nanoseconds: nanoseconds)

        #expect(histogram.counts.firstIndex(of: 1) == bucket)
        #expect(histogram.count == 1)
        #expect(histogram.sum >= 0)
    }

    @Test func `methods that a route does not answer are counted together`() {
        let figures = RequestFigures(RalphServer.makeTable())
        for method in [HTTPMethod.GET, .HEAD, .OPTIONS, .POST, .PUT, .DELETE] {
            let route = figures.route(of: RequestPath("/health"))
            figures.note(route: route, method: method, status: 405, nanoseconds: 1)
        }

        #expect(figures.all.map(\.method) == ["GET", "HEAD", "OPTIONS", "OTHER"])
        #expect(figures.all.last?.classes == [0, 0, 0, 0, 3, 0])
        #expect(figures.all.allSatisfy { $0.route == "/health" })
    }

    @Test func `figures grow with the routes and not with what is asked for`() {
        let figures = RequestFigures(RalphServer.makeTable())
        for number in 0..<1000 {
            figures.note(
                route: figures.route(of: RequestPath("/x/\(number)")), method: .RAW(value: "M\(number)"),
                status: UInt(number), nanoseconds: 1)
        }
        #expect(figures.all.map(\.method) == ["OTHER"])
        #expect(figures.all.first?.durations.count == 1000)
    }
}
