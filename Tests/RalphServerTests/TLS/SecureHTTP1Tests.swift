import Foundation
import RalphServer
import RalphTestSupport
import Testing

/// HTTP/1.1 over TLS, with a client that shares nothing with the server.
@Suite(.timeLimit(.minutes(1)))
struct SecureHTTP1Tests {
    @Test func `a stream over TLS and HTTP1 is the same as without`() async throws {
        try await withServer({ $0.tls = .selfSigned }) { server in
            try server.append("a", 1...300)
            let probe = try await HTTP2Probe(port: server.port)
            let id = try await probe.session("a", events: 300)
            let path = "/api/sessions/\(id)/events?tail=all&follow=false"
            let plain = try await curl(server, ["--http1.1"], path)
            let framed = try await curl(server, ["--http2"], path)

            #expect(plain == framed)
            #expect(plain.contains(#""payload":"n300""#))
        }
    }

    @Test func `requests follow each other on one connection`() async throws {
        try await withServer({ $0.tls = .selfSigned }) { server in
            let text = try await curl(
                server, ["--http1.1", "-w", "%{num_connects} "], "/health", "/health", "/api/sessions")

            #expect(text == "OK1 OK0 []0 ")
        }
    }

    private func curl(_ server: RunningServer, _ options: [String], _ paths: String...) async throws -> String
    {
        let output = try server.root.write("curl-\(UUID().uuidString)", "")
        let process = try #require(Program("curl")).start(
            ["-sS", "--max-time", "20", "--cacert", server.root.path + "/.state/tls-cert.pem"] + options
                + paths.map { "https://localhost:\(server.port)\($0)" },
            output: FileHandle(forWritingAtPath: output))
        try await eventually(within: .seconds(20), "end of curl") { !process.isRunning }
        #expect(process.terminationStatus == 0)
        return try String(contentsOfFile: output, encoding: .utf8)
    }
}
