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
