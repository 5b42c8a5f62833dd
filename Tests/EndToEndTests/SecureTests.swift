import Foundation
import RalphTestSupport
import Testing

extension EndToEnd {
    /// HTTPS and HTTP/2, with curl on the other side.
    @Suite(
        .enabled(
            if: Program("curl") != nil && Program("openssl") != nil, "curl or openssl is not installed"))
    struct SecureTests {
        @Test func `a stream goes on over a new certificate and its end is clean`() async throws {
            try await withTemporaryDirectory { place in
                try place.appendLines(1...3, to: "a")
                let service = try await Service(in: place, ["--tls-self-signed"])
                let id = try await session(service, "a", events: 3)
                let stream = try curl(service, ["-N", "--http2"], "/api/sessions/\(id)/events")
                try await eventually(within: .seconds(10), "replay") { stream.output.contains(#""n3""#) }
                let old = try await certificate(service)
                for name in ["tls-cert.pem", "tls-key.pem"] { try place.remove("state/" + name) }
                service.process.signal(SIGHUP)
                try await eventually(within: .seconds(10), "new certificate") {
                    try await certificate(service) != old
                }
                try place.appendLines(4...6, to: "a")
                try await eventually(within: .seconds(10), "live events") { stream.output.contains(#""n6""#) }
                try await eventually(within: .seconds(10), "a record of the new certificate") {
                    let path = place.path + "/state/server.json"
                    let record = try String(contentsOfFile: path, encoding: .utf8)
                    return !record.contains(fingerprint(service))
                }
                service.process.signal(SIGTERM)

                #expect(try await stream.exitStatus() == 0, "\(stream.errors)")
                #expect(try await service.process.exitStatus() == 0)
                #expect(stream.output.contains("retry:"))
            }
        }

        @Test func `a pair that cannot be used leaves the old one in place`() async throws {
            try await withTemporaryDirectory { place in
                let made = try await Service(in: place, ["--tls-self-signed"])
                made.process.kill()
                _ = try await made.process.exitStatus()
                let files = ["cert", "key"].map { place.path + "/state/tls-\($0).pem" }
                let service = try await Service(in: place, ["--tls-cert", files[0], "--tls-key", files[1]])
                let old = try await certificate(service)
                try place.write("state/tls-cert.pem", "nothing")
                service.process.signal(SIGHUP)
                try await eventually(within: .seconds(10), "a word about it") {
                    service.process.errors.contains("The TLS certificate stays as it is")
                }

                #expect(try await certificate(service) == old)
                #expect(service.process.output.contains(fingerprint(made)))
            }
        }

        @Test func `SIGHUP does nothing to a server without TLS`() async throws {
            try await withTemporaryDirectory { place in
                let service = try await Service(in: place)
                for _ in 0..<3 {
                    service.process.signal(SIGHUP)
                    #expect(try await service.get("/health").status == 200)
                }
                service.process.signal(SIGTERM)

                #expect(try await service.process.exitStatus() == 0)
            }
        }

        @Test func `a client that stops reading costs no memory and gets everything`() async throws {
            try await withTemporaryDirectory { place in
                try place.appendLines(1...1, to: "a")
                let service = try await Service(in: place, ["--tls-self-signed", "--ring", "5000"])
                let id = try await session(service, "a", events: 1)
                let stream = try curl(service, ["-N", "--http2"], "/api/sessions/\(id)/events")
                try await eventually(within: .seconds(10), "replay") { stream.output.contains(#""n1""#) }
                stream.signal(SIGSTOP)
                let before = service.process.peakResidentBytes
                let padding = String(repeating: "x", count: 20_000)
                // 60 MB in all, of which the sockets hold a few.
                for start in 0..<10 {
                    let first = 2 + start * 300
                    try place.appendLines(first...first + 299, to: "a", padding: padding)
                }
                _ = try await session(service, "a", events: 3001)
                #expect(service.process.peakResidentBytes - before < 40 << 20)
                stream.signal(SIGCONT)

                try await eventually(within: .seconds(40), "everything") {
                    stream.output.contains("\"n3001x")
                }
                let ids = stream.output.split(separator: "\n").filter { $0.hasPrefix("id:") }
                #expect(ids.compactMap { Int($0.drop { !$0.isNumber }) } == Array(1...3001))
            }
        }

        private func curl(_ service: Service, _ options: [String], _ path: String) throws -> ServerProcess {
            try ServerProcess(
                ["-sS", "-k"] + options + ["https://127.0.0.1:\(service.port)\(path)"], in: service.place,
                binary: #require(Program("curl")).path)
        }

        private func session(_ service: Service, _ workspace: String, events: Int) async throws -> String {
            var id = ""
            try await eventually(within: .seconds(40), "session \(workspace) with \(events) events") {
                let curl = try curl(service, [], "/api/sessions")
                guard try await curl.exitStatus() == 0 else { return false }
                let list = try JSONSerialization.jsonObject(with: Data(curl.output.utf8)) as? [[String: Any]]
                let found = list?.first { ($0["working_dir"] as? String)?.hasSuffix("/" + workspace) == true }
                id = found?["id"] as? String ?? ""
                return (found?["last_seq"] as? Int).map { $0 >= events } ?? false
            }
            return id
        }

        /// The certificate that a new handshake shows, in PEM.
        private func certificate(_ service: Service) async throws -> String {
            let client = try ServerProcess(
                ["s_client", "-connect", "127.0.0.1:\(service.port)", "-alpn", "h2"], in: service.place,
                binary: #require(Program("openssl")).path)
            _ = try await client.exitStatus()
            let lines = client.output.components(separatedBy: "\n")
            guard let first = lines.firstIndex(of: "-----BEGIN CERTIFICATE-----"),
                let last = lines.firstIndex(of: "-----END CERTIFICATE-----")
            else { throw ProcessProblem("no certificate: \(client.output)\(client.errors)") }
            return lines[first...last].joined()
        }

        /// What the server said of its certificate at the start.
        private func fingerprint(_ service: Service) -> String {
            let prefix = "TLS certificate SHA-256: "
            let line = service.process.output.split(separator: "\n").first { $0.hasPrefix(prefix) }
            return line.map { String($0.dropFirst(prefix.count)) } ?? "none"
        }
    }
}
