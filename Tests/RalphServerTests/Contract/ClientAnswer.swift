import Foundation
import RalphServer
import RalphTestSupport
import Testing

/// An answer taken as the app takes it: JSON, whole, decoded by types that forgive nothing.
enum ClientAnswer {
    /// What the app's decoder makes of a response.
    ///
    /// - Throws: the decoder's error, which names the member; ``Unexpected`` for another status.
    static func decode<Body: Decodable>(
        _ type: Body.Type, _ response: HTTPProbe.Response, status: Int = 200
    ) throws -> Body {
        guard response.status == status else {
            throw Refused(text: "\(response.status) instead of \(status): \(response.text)")
        }
        #expect(response.headers["content-type"] == "application/json")
        #expect(response.headers["cache-control"]?.contains("no-store") == true)
        return try JSONDecoder().decode(type, from: Data(response.body))
    }

    /// The same of a whole value in an event or a line.
    static func decode<Body: Decodable>(_ type: Body.Type, _ text: String) throws -> Body {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}

extension RunningServer {
    /// GET, decoded strictly.
    func get<Body: Decodable>(_ target: String, as type: Body.Type) async throws -> Body {
        try ClientAnswer.decode(type, try await get(target))
    }

    /// POST, decoded strictly.
    func post<Body: Decodable>(
        _ target: String, _ body: String = "", as type: Body.Type, status: Int = 200
    ) async throws -> Body {
        try ClientAnswer.decode(type, try await post(target, body), status: status)
    }
}

/// Runs `body` with a server on copies of all recorded workspaces, once everything in them was read.
func withRecordings(
    _ body: @Sendable @escaping (RunningServer, [ClientModels.Session]) async throws -> Void
) async throws {
    try await withTemporaryDirectory { directory in
        for name in try Samples.names() { try Samples.copy(name, to: directory.path + "/" + name) }
        try await withServer(in: directory) { server in
            var sessions: [ClientModels.Session] = []
            var before: [String: Int] = [:]
            try await eventually(within: .seconds(20), "the recorded sessions") {
                sessions = try await server.get("/api/sessions", as: [ClientModels.Session].self)
                let now = Dictionary(uniqueKeysWithValues: sessions.map { ($0.id, $0.last_seq) })
                defer { before = now }
                return sessions.count >= 11 && now == before && now.values.allSatisfy { $0 > 0 }
            }
            try await body(server, sessions)
        }
    }
}
