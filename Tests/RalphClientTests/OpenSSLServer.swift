import Foundation
import RalphTestSupport
import Testing

/// A TLS server with a certificate of its own, which answers each request with a page about the connection.
final class OpenSSLServer {
    private let process: Process
    private let outputPath: String
    /// SHA-256 of the certificate in hexadecimal.
    let fingerprint: String
    private(set) var port = 0

    init(in directory: TemporaryDirectory) async throws {
        let (key, certificate) = (directory.path + "/key.pem", directory.path + "/cert.pem")
        outputPath = try directory.write("out", "")
        let program = try #require(Program("openssl"))
        _ = try program.output([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "1", "-subj", "/CN=elsewhere.example", "-keyout", key, "-out", certificate,
        ])
        let print = try program.output(["x509", "-in", certificate, "-noout", "-fingerprint", "-sha256"])
        fingerprint = (print.split(separator: "=").last ?? "").filter(\.isHexDigit).lowercased()
        process = try program.start(
            ["s_server", "-accept", "127.0.0.1:0", "-key", key, "-cert", certificate, "-www"],
            output: FileHandle(forWritingAtPath: outputPath))
        try await eventually(within: .seconds(10), "openssl listens") { [self] in
            port = output.firstMatch(of: /ACCEPT [0-9.\[\]:]*:(\d+)/).flatMap { Int($0.1) } ?? 0
            return port > 0
        }
    }

    /// It has the signal mask of the thread that started it, so that SIGTERM may never arrive.
    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// What it wrote so far.
    var output: String {
        String(decoding: FileManager.default.contents(atPath: outputPath) ?? Data(), as: UTF8.self)
    }
}
