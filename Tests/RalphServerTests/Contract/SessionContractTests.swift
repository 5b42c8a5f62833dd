import RalphServer
import RalphTestSupport
import Testing

/// What the app reads of sessions, from every recorded workspace (http-contract 2, 3).
@Suite(.timeLimit(.minutes(1)))
struct SessionContractTests {
    private struct Health: Decodable {
        let status: String
        let version: String
        let timestamp: ClientModels.Time
        let uptime_secs: Int
        let sessions: Int
        let auth_required: Bool
    }

    @Test func `the probe is OK as text and JSON where it is asked for`() async throws {
        try await withServer { server in
            #expect(try await server.get("/health").text == "OK")
            let report = try await server.get("/api/health", as: Health.self)
            #expect(report.status == "ok")
            #expect(report.auth_required == false)
            #expect(try await server.get("/api/health", headers: ["Accept": "text/plain"]).text == "OK")
        }
    }

    @Test(arguments: [
        ("application/json, text/plain, */*", true, true), ("application/json, text/plain;q=0", true, true),
        ("APPLICATION/JSON", true, true), ("*/*", false, true), ("text/html", false, true),
        ("text/plain, application/json;q=0", false, false),
        ("text/plain, application/json;q=0.1", false, false),
    ])
    func `what the client likes better decides between the probe and its report`(
        _ accept: String, _ isProbeReport: Bool, _ isReport: Bool
    ) async throws {
        try await withServer { server in
            for (path, isJSON) in [("/health", isProbeReport), ("/api/health", isReport)] {
                let response = try await server.get(path, headers: ["Accept": accept])
                #expect((response.text != "OK") == isJSON, "\(path)")
                let type = response.headers["content-type"] ?? ""
                #expect(type.hasPrefix(isJSON ? "application/json" : "text/plain"), "\(path) \(type)")
            }
        }
    }

    @Test func `the list decodes as a whole and is in its order`() async throws {
        try await withRecordings { server, sessions in
            let ranks = sessions.map { $0.status == .running ? 0 : $0.status == .paused ? 1 : 2 }

            #expect(ranks == ranks.sorted())
            #expect(Set(sessions.map(\.id)).count == sessions.count)
            #expect(sessions.allSatisfy { $0.started_at != nil && $0.last_event_at != nil })
            #expect(sessions.contains { $0.hat != nil && $0.publishes != nil && $0.total != nil })
        }
    }

    @Test func `every session has a status that decodes and agrees with the list`() async throws {
        try await withRecordings { server, sessions in
            for session in sessions {
                let status = try await server.get(
                    "/api/sessions/\(session.id)/status?after_seq=0", as: ClientModels.SessionStatus.self)
                #expect(status.id == session.id)
                #expect(status.status == session.status)
                #expect(status.mode == session.mode)
                #expect(status.recent_events.count <= 10)
                #expect(status.events?.first?.seq == 1)
                _ = try await server.get(
                    "/api/sessions/\(session.id)/status", as: ClientModels.Session.self)
            }
        }
    }

    @Test func `every session has iterations and a scratchpad that decode`() async throws {
        try await withRecordings { server, sessions in
            for session in sessions {
                let path = "/api/sessions/\(session.id)"
                let list = try await server.get(path + "/iterations", as: ClientModels.Iterations.self)
                #expect(list.total.value == list.iterations.count)
                let numbers = list.iterations.map(\.number.value)
                #expect(numbers == numbers.sorted())
                _ = try await server.get(path + "/scratchpad", as: ClientModels.Scratchpad.self)
            }
        }
    }

    @Test func `every session comes with a conversation that decodes`() async throws {
        try await withRecordings { server, sessions in
            var roles: Set<String> = []
            for session in sessions {
                let detail = try await server.get(
                    "/api/sessions/\(session.id)", as: ClientModels.SessionDetail.self)
                #expect(detail.session.id == session.id)
                roles.formUnion(detail.session.messages.map(\.role.rawValue))
            }
            #expect(roles.contains("user"))
        }
    }

    @Test func `every page of history decodes`() async throws {
        try await withRecordings { server, sessions in
            for session in sessions {
                let page = try await server.get(
                    "/api/sessions/\(session.id)/history?limit=1000", as: ClientModels.HistoryPage.self)
                #expect(page.last_seq >= session.last_seq)
                #expect(page.events.compactMap(\.seq) == Array(1...page.last_seq))
            }
        }
    }

    @Test(arguments: ["", "/status", "/events", "/iterations", "/scratchpad"])
    func `an unknown session is a 404 that the app understands`(_ part: String) async throws {
        try await withServer { server in
            let problem = try ClientAnswer.decode(
                ClientModels.Problem.self, try await server.get("/api/sessions/0123456789abcdef" + part),
                status: 404)
            #expect(problem.error.hasPrefix("session_not_found"))
            #expect(problem.code == "NOT_FOUND")
        }
    }
}
