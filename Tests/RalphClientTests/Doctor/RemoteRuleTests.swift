import NIOHTTP1
import RalphWire
import Testing

@testable import RalphClient

struct RemoteRuleTests {
    @Test(arguments: [
        ("http://host:8080", "http://host:8080"), ("https://Host/ralph/", "https://Host/ralph"),
        ("host:81", "http://host:81"), ("http://[::1]:8080", "http://[::1]:8080"),
        ("https://host:443", "https://host"),
    ])
    func `an address is read`(text: String, shown: String) throws {
        #expect(try RemoteAddress(text).text == shown)
    }

    @Test func `the zone of an address is for connecting, and no part of Host`() throws {
        let remote = try RemoteAddress("http://[fe80::1%25lo]:8080")

        #expect(remote.host == "fe80::1%lo")
        #expect(remote.authority == "[fe80::1]:8080")
    }

    @Test func `every answer to the probes counts`() {
        func reply(_ status: HTTPResponseStatus, _ body: String = "OK") -> Reply {
            Reply(
                head: HTTPResponseHead(version: .http1_1, status: status), body: Array(body.utf8),
                time: .milliseconds(1))
        }
        let good = reply(.ok)

        #expect(AnswerRules.judge(probes: [good, good]).map(\.level) == [.ok])
        let bad = AnswerRules.judge(probes: [good, reply(.badGateway), good, reply(.badGateway), good])
        #expect(bad.map(\.level) == [.fail])
        #expect(bad.first?.found == "2 of 5 answered with 502, not with 200 and OK")
        #expect(AnswerRules.judge(probes: [good, reply(.ok, "busy")]).map(\.level) == [.fail])
    }

    @Test func `a connection that was cut within a chunk is told as one, and other words as no HTTP`() {
        #expect(Dialer.words(HTTPParserError.invalidEOFState) == "the connection was closed")
        #expect(Dialer.words(HTTPParserError.invalidConstant).hasPrefix("what answers speaks no HTTP"))
    }

    @Test(arguments: [
        "ftp://host", "http://", "http://user:key@host", "http://host?api_key=k", "http://host:0",
        "http://host:99999", "http://ho st", "",
    ])
    func `what is no address, or holds a key, is refused without being repeated`(text: String) {
        #expect(throws: RemoteAddressProblem.self) { try RemoteAddress(text) }
    }

    @Test func `places are told apart by their addresses`() {
        #expect(AddressPlace(ipv4: [127, 0, 0, 1]) == .loopback)
        #expect(AddressPlace(ipv4: [100, 64, 0, 1]) == .near)
        #expect(AddressPlace(ipv4: [172, 32, 0, 1]) == .far)
        #expect(AddressPlace(ipv6: [UInt8](repeating: 0, count: 15) + [1]) == .loopback)
        #expect(AddressPlace(ipv6: [0xFD] + [UInt8](repeating: 0, count: 15)) == .near)
        #expect(AddressPlace(ipv6: [0xFE, 0x80] + [UInt8](repeating: 0, count: 14)) == .near)
        #expect(AddressPlace(ipv6: [0x20, 0x01] + [UInt8](repeating: 0, count: 14)) == .far)
    }

    @Test func `a date of a head is read`() {
        #expect(AnswerRules.milliseconds(date: "Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777_000)
        #expect(AnswerRules.milliseconds(date: "yesterday") == nil)
        #expect(AnswerRules.judge(clockDifference: 900).level == .ok)
        #expect(AnswerRules.judge(clockDifference: -90_000).found.contains("90.0 s behind"))
    }

    @Test(arguments: [
        (200, true, Finding.Level.ok), (200, false, .ok), (401, true, .fail), (401, false, .warn),
        (421, true, .fail), (403, true, .fail), (429, true, .fail), (500, true, .fail),
    ])
    func `the answer to the key is judged`(status: Int, hasKey: Bool, level: Finding.Level) {
        #expect(RemoteExamination.judge(status: status, hasKey: hasKey, place: .loopback).level == level)
    }

    @Test(arguments: [AddressPlace.near, .far])
    func `who lets everybody in at an address that others reach fails`(_ place: AddressPlace) {
        let open = RemoteExamination.judge(status: 200, hasKey: false, place: place)

        #expect(open.level == .fail)
        #expect(open.found.contains("nobody is asked"))
        #expect(RemoteExamination.judge(status: 200, hasKey: true, place: place).level == .ok)
    }

    private func observation(_ headers: [(String, String)] = []) -> StreamObservation {
        var seen = StreamObservation()
        let own = [("content-type", "text/event-stream"), ("cache-control", "no-cache, no-transform")]
        seen.head = HTTPResponseHead(
            version: .http1_1, status: .ok,
            headers: HTTPHeaders(own + [("x-accel-buffering", "no")] + headers))
        seen.opening = Array(": open   \n".utf8)
        seen.pieces = [.milliseconds(1), .seconds(15)]
        seen.life = .seconds(20)
        seen.survived = true
        return seen
    }

    @Test func `a stream in its rhythm is fine, and whatever changes it is told`() {
        let limits = ExaminationLimits()
        #expect(StreamRules.judge(observation(), limits).map(\.level) == [.ok, .ok])
        let compressed = StreamRules.judge(observation([("content-encoding", "gzip")]), limits)
        #expect(compressed.map(\.level) == [.warn, .ok, .ok])
        var changed = observation()
        changed.opening = Array("x".utf8)
        #expect(StreamRules.judge(changed, limits).map(\.level) == [.warn, .ok])
        changed.head?.headers.replaceOrAdd(name: "content-type", value: "text/html")
        #expect(StreamRules.judge(changed, limits).map(\.level) == [.fail])
    }

    @Test func `a first byte that came late was held back`() {
        var late = observation()
        late.pieces = [.seconds(12)]
        #expect(StreamRules.judge(late, ExaminationLimits()).map(\.level) == [.fail, .ok])
        #expect(StreamRules.judge(StreamObservation(), ExaminationLimits()).map(\.level) == [.fail])
    }

    @Test func `times are said as people do`() {
        #expect(Milliseconds.text(.microseconds(450)) == "0.4 ms")
        #expect(Milliseconds.text(.milliseconds(12)) == "12 ms")
        #expect(Milliseconds.text(.milliseconds(3150)) == "3.1 s")
        #expect(Milliseconds.text(.seconds(60)) == "60.0 s")
    }
}
