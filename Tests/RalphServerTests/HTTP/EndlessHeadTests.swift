import RalphTestSupport
import Testing

@testable import RalphServer

/// Bytes that the parser of HTTP/1.1 counts nowhere.
@Suite(.timeLimit(.minutes(1)))
struct EndlessHeadTests {
    @Test(arguments: ["GET /livez HTTP/1.1\r\nHost: localhost\r\nX:", "GET /livez"], [false, true])
    func `blanks without end in a head are refused`(_ head: String, isSecond: Bool) async throws {
        try await withServer { server in
            let probe = try server.probe()
            if isSecond {
                try await probe.request("/livez")
                #expect(try await probe.response().status == 200)
            }
            try await probe.send(head)
            let blanks = HTTPLimits().maximumUnparsedBytes + 2 * 16 * 1024
            try await probe.send([UInt8](repeating: 0x20, count: blanks))
            #expect(try await probe.response().status == 431)
            try await probe.waitForClose()
        }
    }
}
