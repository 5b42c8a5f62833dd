import Foundation
import RalphServer
import RalphTestSupport
import Testing

/// Clients that send first and read then, and are refused before they have sent all.
@Suite(.timeLimit(.minutes(1)))
struct RefusedBodyTests {
    private static let key = "a key of thirty-two characters!!"
    private static let mebibytes = [UInt8](repeating: UInt8(ascii: "x"), count: 8 << 20)

    private func post(_ headers: [String: String], on probe: HTTPProbe) async throws {
        try await probe.request("/api/sessions", method: "POST", headers: headers)
    }

    @Test(arguments: [
        (["Content-Length": "8388608", "X-Api-Key": "not the key"], 401),
        (["Content-Length": "8388609", "X-Api-Key": key], 413),
        (["Transfer-Encoding": "chunked", "X-Api-Key": key], 400),
    ])
    func `a refusal is read by who sends the whole body first`(
        _ request: (headers: [String: String], status: Int)
    ) async throws {
        try await withServer({ $0.apiKey = Self.key }) { server in
            let probe = try server.probe()
            try await post(request.headers, on: probe)
            try await probe.send(Self.mebibytes)

            let answer = try await probe.response()
            #expect(answer.status == request.status)
            #expect(answer.headers["connection"] == "close")
            try await probe.waitForClose()
        }
    }

    @Test func `a wrong key that is held back is refused once its body has come`() async throws {
        try await withServer({ $0.apiKey = Self.key }) { server in
            for _ in 0..<4 {
                let probe = try server.probe()
                try await post(["Content-Length": "8388608", "X-Api-Key": "not the key"], on: probe)
                try await probe.send(Self.mebibytes)
                #expect(try await probe.response().status == 401)
            }
        }
    }

    @Test func `who has too many bodies in hand is refused a further one until they are gone`() async throws {
        try await withServer({ $0.apiKey = Self.key }) { server in
            let headers = ["Content-Length": "8388608", "X-Api-Key": Self.key]
            func refusals() async throws -> Int? {
                let metrics = try await server.get("/metrics", headers: ["X-Api-Key": Self.key])
                let name = #"ralph_mobile_limited_requests_total{limit="bodies"} "#
                let line = metrics.text.split(separator: "\n").first { $0.hasPrefix(name) }
                return line.flatMap { Int($0.dropFirst(name.count)) }
            }
            // Five are counted, the fourth of which makes 32 MiB; whichever comes last is one too many.
            let probes = try (0..<6).map { _ in try server.probe() }
            for probe in probes {
                try await post(headers, on: probe)
                try await probe.send(Array(Self.mebibytes.prefix(64 << 10)))
            }
            try await eventually(within: .seconds(20), "a refusal") { try await refusals() == 1 }
            for probe in probes { probe.close() }
            try await eventually(within: .seconds(20), "room for another") {
                let probe = try server.probe()
                try await post(headers, on: probe)
                try await probe.send(Self.mebibytes)
                return try await probe.response().status == 400
            }
        }
    }

    @Test func `who never stops sending is cut`() async throws {
        try await withServer({ $0.http.discardSeconds = 50 }) { server in
            let probe = try server.probe()
            try await post(["Content-Length": "999999999"], on: probe)

            await #expect(throws: ProbeError.self) {
                for _ in 0..<8 { try await probe.send(Self.mebibytes) }
            }
        }
    }

    @Test func `who sends a little for ever is cut soon`() async throws {
        try await withServer { server in
            let probe = try server.probe()
            try await post(["Content-Length": "999999999"], on: probe)
            #expect(try await probe.response().status == 413)

            let start = ContinuousClock.now
            try await eventually(within: .seconds(10), "the cut") {
                do { try await probe.send("x") } catch { return true }
                return false
            }
            #expect(.now - start < .seconds(5))
        }
    }
}
