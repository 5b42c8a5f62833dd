import NIOHTTP1
import Testing

@testable import RalphServer

struct AuditRulesTests {
    private let rules = AuditRules(RalphServer.makeTable(), secrets: [])
    private let figures = RequestFigures(RalphServer.makeTable())

    private func isRecorded(_ method: HTTPMethod, _ path: String) -> Bool {
        rules.isRecorded(method, route: figures.route(of: RequestPath(path)))
    }

    @Test(arguments: [
        (HTTPMethod.POST, "/api/sessions"), (.DELETE, "/api/sessions/x"), (.PUT, "/api/memories"),
        (.POST, "/api/config/import"), (.DELETE, "/api/device"), (.POST, "/nothing"),
        (.PATCH, "/api/tasks/x"),
        (.POST, "/api/robot/response"), (.RAW(value: "BREW"), "/"),
    ])
    func `what changes something is recorded`(_ request: (HTTPMethod, String)) {
        #expect(isRecorded(request.0, request.1))
    }

    @Test(arguments: [
        (HTTPMethod.GET, "/api/sessions"), (.HEAD, "/"), (.OPTIONS, "/api/sessions"),
        (.POST, "/api/skills/x/load"), (.POST, "/api/memories/export"), (.POST, "/api/config/export"),
    ])
    func `what only reads is not, also when it is a POST`(_ request: (HTTPMethod, String)) {
        #expect(!isRecorded(request.0, request.1))
    }

    @Test(arguments: [
        ("/api/sessions/ab%20c/stop", "POST /api/sessions/{id}/stop", "ab c"),
        ("/api/configs/a/b%2Fc", "POST /api/configs/{path...}", "a/b/c"),
        ("/api/sessions/%zz/stop", "POST /api/sessions/{id}/stop", "%zz"),
        ("/api/sessions", "POST /api/sessions", nil), ("/secret/path", "POST unmatched", nil),
    ])
    func `an action is a method and a pattern, a target what the path names`(
        _ request: (path: String, action: String, target: String?)
    ) {
        let path = RequestPath(request.path)
        let route = figures.route(of: path)

        #expect(rules.action(.POST, route: route) == request.action)
        #expect(rules.target(path, route: route) == request.target)
    }

    @Test func `a method that nobody knows has no name of its own`() {
        #expect(rules.action(.RAW(value: "BREW"), route: .max) == "OTHER unmatched")
    }
}
