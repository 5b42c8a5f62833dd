import Foundation
import RalphClient
import RalphServer
import RalphWire

/// The server of this user that runs on a state directory, as tools talk to it.
struct LocalServer {
    /// What the server's errors say.
    private struct Refusal: Decodable {
        let error: String
        let details: String?
    }

    let contents: RunningContents
    let connection: ServerConnection

    /// - Throws: ``CommandProblem`` if no server runs there.
    init(stateDirectory: String) throws {
        guard let server = try Self.running(stateDirectory: stateDirectory) else {
            throw CommandProblem(
                "No server runs on \(stateDirectory). Start one, or say --root or --state-dir as it was started."
            )
        }
        self = server
    }

    init(_ contents: RunningContents) {
        self.contents = contents
        connection = ServerConnection(
            host: contents.reachableHost, port: contents.port, key: contents.key,
            fingerprint: contents.tls_fingerprint)
    }

    /// The server that runs there; `nil`: none.
    static func running(stateDirectory: String) throws -> LocalServer? {
        try RunningContents.read(stateDirectory: stateDirectory).map(LocalServer.init)
    }

    /// Its address for a browser of this machine.
    var base: String {
        let scheme = contents.tls_fingerprint == nil ? "http" : "https"
        return "\(scheme)://" + PairingAddress.text(host: contents.reachableHost, port: contents.port)
    }

    /// Sends a request and reads the answer to it.
    ///
    /// - Throws: ``CommandProblem`` with what the server says if it refuses.
    func send<Answer: Decodable>(
        _ method: String, _ path: String, body: [String: String]? = nil, as type: Answer.Type
    ) async throws -> Answer {
        let reply = try await reply(method, path, body: try body.map { try JSONEncoder().encode($0) })
        guard (200..<300).contains(reply.status) else {
            // What is no answer of ours is told by its status.
            let refusal = try? JSONDecoder().decode(Refusal.self, from: reply.body)
            let reason = refusal?.details ?? refusal?.error ?? "no reason given"
            throw CommandProblem(
                "The server refuses (\(reply.status)): \(reason)\(reason.hasSuffix(".") ? "" : ".")")
        }
        return try JSONDecoder().decode(type, from: reply.body)
    }

    private func reply(_ method: String, _ path: String, body: Data?) async throws -> ServerConnection.Reply {
        do {
            return try await connection.send(method, path, body: body)
        } catch {
            throw CommandProblem(
                "\(error) Its server.json names the process \(contents.pid); if that is another program, remove the"
                    + " file from the state directory.")
        }
    }
}
