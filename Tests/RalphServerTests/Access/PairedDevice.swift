import Crypto
import Foundation
import RalphServer
import RalphTestSupport
import Testing

/// A device that was paired before the server started.
struct PairedDevice: Sendable {
    let scope: String
    let number: Int

    /// One of each scope.
    static let all = ["watch", "answer", "steer", "start"].enumerated().map {
        PairedDevice(scope: $0.element, number: $0.offset + 1)
    }
    static let watch = all[0]
    static let answer = all[1]
    static let steer = all[2]
    static let start = all[3]
    /// What opens everything beside them.
    static let key = "key-of-the-owner-0123456789"
    static let owner = ["X-Api-Key": key]

    var id: String { "00000000000\(number)" }
    var token: String { "rmd_" + String(repeating: "\(number)", count: 64) }
    var headers: [String: String] { ["Authorization": "Bearer " + token] }

    /// As `devices.json` has it.
    private var json: String {
        let digest = SHA256.hash(data: Data(token.utf8)).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
        return """
            {"id":"\(id)","name":"\(scope)","scope":"\(scope)","createdAt":178900000000\(number),"tokenDigest":"\(digest)"}
            """
    }

    /// Puts all devices into the state directory of a server on `directory`.
    static func store(in directory: TemporaryDirectory) throws {
        try FileManager.default.createDirectory(
            atPath: directory.path + "/.state", withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try directory.write(".state/devices.json", "[" + all.map(\.json).joined(separator: ",") + "]")
    }
}

/// Runs `body` against a server with a key and a device of each scope.
func withDevices(
    _ configure: (inout ServerConfiguration) -> Void = { _ in },
    _ body: @Sendable @escaping (RunningServer) async throws -> Void
) async throws {
    try await withTemporaryDirectory { directory in
        try PairedDevice.store(in: directory)
        try await withServer(
            in: directory,
            {
                $0.apiKey = PairedDevice.key
                configure(&$0)
            }, body)
    }
}

extension RunningServer {
    /// Expects a status of a GET.
    func expect(
        _ status: Int, _ target: String, headers: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let response = try await get(target, headers: headers)
        #expect(response.status == status, "\(target)", sourceLocation: sourceLocation)
    }

    /// Expects a status of a POST.
    func expect(
        _ status: Int, post target: String, _ body: String, headers: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let response = try await post(target, body, headers: headers)
        #expect(response.status == status, "\(target)", sourceLocation: sourceLocation)
    }
}
