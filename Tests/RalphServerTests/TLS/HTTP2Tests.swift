import Foundation
import NIOHTTP2
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct HTTP2Tests {
    @Test func `events arrive over HTTP2 as they are written`() async throws {
        try await withServer({ $0.tls = .selfSigned }) { server in
            try server.append("a", 1...3)
            let probe = try await HTTP2Probe(port: server.port)
            let id = try await probe.session("a", events: 3)
            let stream = try await probe.request("/api/sessions/\(id)/events")
            let head = try await stream.head()
            #expect(try await stream.events(through: 3) == [1, 2, 3])
            try server.append("a", 4...5)

            #expect(try await stream.events(through: 5) == [1, 2, 3, 4, 5])
            #expect(head.status == 200)
            #expect(head.headers["content-type"] == "text/event-stream")
            #expect(head.headers["connection"] == nil && head.headers["transfer-encoding"] == nil)
            #expect(!stream.now.text.contains("\r\n"))
        }
    }

    @Test func `a stream that does not follow ends properly and the connection stays`() async throws {
        try await withServer({ $0.tls = .selfSigned }) { server in
            try server.append("a", 1...200)
            let probe = try await HTTP2Probe(port: server.port)
            let id = try await probe.session("a", events: 200)
            for form in ["events", "events.ndjson"] {
                let answer = try await probe.get("/api/sessions/\(id)/\(form)?tail=all&follow=false")

                #expect(answer.hasEnded && answer.reset == nil)
                #expect(answer.text.contains(#""payload":"n200""#))
            }
            #expect(try await probe.get("/health").text == "OK")
            #expect(probe.isOpen)
        }
    }

    @Test func `a HEAD of a stream is its head alone`() async throws {
        try await withServer({ $0.tls = .selfSigned }) { server in
            let probe = try await HTTP2Probe(port: server.port)
            for path in ["/api/events", "/api/sessions", "/health"] {
                let answer = try await probe.request(path, method: "HEAD").end()

                #expect(answer.status == 200 && answer.body.isEmpty && answer.hasEnded, "\(path)")
                #expect(answer.reset == nil)
            }
        }
    }

    @Test func `twenty streams and requests beside them share a connection`() async throws {
        try await withServer({ $0.tls = .selfSigned }) { server in
            try server.append("a", 1...2)
            let probe = try await HTTP2Probe(port: server.port)
            let id = try await probe.session("a", events: 2)
            var streams: [HTTP2Exchange] = []
            for _ in 0..<20 { streams.append(try await probe.request("/api/sessions/\(id)/events")) }
            for stream in streams { #expect(try await stream.events(through: 2) == [1, 2]) }
            for number in 3...12 {
                try server.append("a", number...number)
                let answers = [
                    try await probe.request("/api/sessions"), try await probe.request("/health"),
                    try await probe.request("/api/sessions/\(id)/status"),
                ]
                for answer in answers { #expect(try await answer.end().status == 200) }
            }

            for stream in streams { #expect(try await stream.events(through: 12) == Array(1...12)) }
            #expect(try await probe.get("/metrics").text.contains("ralph_mobile_connections_open 1\n"))
        }
    }

    @Test func `a reader that stops holds nobody up and gets everything in the end`() async throws {
        try await withServer({ $0.tls = .selfSigned }) { server in
            try server.append("a", 1...1)
            let probe = try await HTTP2Probe(port: server.port)
            let id = try await probe.session("a", events: 1)
            let stalled = try await probe.request("/api/sessions/\(id)/events")
            let reader = try await probe.request("/api/sessions/\(id)/events")
            _ = try await stalled.events(through: 1)
            try await stalled.setReading(false)
            try server.appendLarge("a", 2...200, bytes: 50_000)
            #expect(try await reader.events(through: 200) == Array(1...200))
            #expect(try await probe.get("/health").status == 200)
            #expect(stalled.now.eventIDs.count < 10)
            try await stalled.setReading(true)

            #expect(try await stalled.events(through: 200) == Array(1...200))
        }
    }

    @Test func `a reader that takes nothing is cut and its connection stays`() async throws {
        try await withServer({
            $0.tls = .selfSigned
            $0.streams.stallSeconds = 1
        }) { server in
            try server.append("a", 1...1)
            let probe = try await HTTP2Probe(port: server.port)
            let id = try await probe.session("a", events: 1)
            let stalled = try await probe.request("/api/sessions/\(id)/events")
            _ = try await stalled.events(through: 1)
            try await stalled.setReading(false)
            let long = String(repeating: "x", count: 500_000)
            for _ in 2...6 {
                try server.root.append(
                    "a/.ralph/events.jsonl",
                    #"{"topic":"big","ts":"2026-11-21T03:20:36Z","payload":"\#(long)"}"# + "\n")
            }

            try await eventually(within: .seconds(10), "cut") { stalled.now.isClosed }
            #expect(stalled.now.reset == .cancel)
            #expect(try await probe.get("/health").status == 200)
        }
    }

    @Test func `a revoked device loses its stream and nothing else on the connection`() async throws {
        try await withTemporaryDirectory { directory in
            let state = try StateDirectory(path: directory.path + "/.state")
            let book = try DeviceBook(path: state.devices)
            let (device, token) = try book.register(name: "phone", scope: .watch, invitedBy: nil, at: 0)
            try await withServer(
                in: directory,
                {
                    $0.tls = .selfSigned
                    $0.apiKey = "0123456789abcdef"
                }
            ) { server in
                let probe = try await HTTP2Probe(port: server.port)
                let stream = try await probe.request(
                    "/api/events", headers: [("authorization", "Bearer " + token)])
                #expect(try await stream.head().status == 200)
                let revoked = try await probe.request(
                    "/api/devices/\(device.id)", method: "DELETE",
                    headers: [("x-api-key", "0123456789abcdef")]
                ).end()

                #expect(revoked.status == 200)
                #expect(try await stream.end(within: .seconds(1)).hasEnded)
                #expect(try await probe.get("/api/events", headers: [("x-api-key", token)]).status == 401)
                #expect(probe.isOpen)
            }
        }
    }
}
