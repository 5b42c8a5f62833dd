import Foundation
import RalphTestSupport

/// A TLS server with a certificate of its own, which answers each request with a page about the connection.
final class OpenSSLServer {
    static let program: String? = ["/usr/bin/openssl", "/usr/local/bin/openssl", "/opt/homebrew/bin/openssl"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    private let process = Process()
    private let outputPath: String
    /// SHA-256 of the certificate in hexadecimal.
    let fingerprint: String
    private(set) var port = 0

    init(in directory: TemporaryDirectory) async throws {
        let (key, certificate) = (directory.path + "/key.pem", directory.path + "/cert.pem")
        outputPath = try directory.write("out", "")
        _ = try Self.run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "1",
            "-subj", "/CN=elsewhere.example", "-keyout", key, "-out", certificate,
        ])
        let print = try Self.run(["x509", "-in", certificate, "-noout", "-fingerprint", "-sha256"])
        fingerprint = (print.split(separator: "=").last ?? "").filter(\.isHexDigit).lowercased()
        process.executableURL = URL(fileURLWithPath: Self.program ?? "")
        process.arguments = ["s_server", "-accept", "127.0.0.1:0", "-key", key, "-cert", certificate, "-www"]
        process.standardOutput = FileHandle(forWritingAtPath: outputPath)
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        try await eventually(within: .seconds(10), "openssl listens") { [self] in
            port = output.firstMatch(of: /ACCEPT [0-9.\[\]:]*:(\d+)/).flatMap { Int($0.1) } ?? 0
            return port > 0
        }
    }

    deinit { process.terminate() }

    /// What it wrote so far.
    var output: String {
        String(decoding: FileManager.default.contents(atPath: outputPath) ?? Data(), as: UTF8.self)
    }

    private static func run(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program ?? "")
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
