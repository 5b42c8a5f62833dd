import Foundation
import RalphControl
import RalphTestSupport
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct QuestionRestartTests {
    private func ids(_ server: RunningServer) async throws -> [String] {
        let questions = try await server.get("/api/robot/questions").object()["questions"]
        return (questions as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
    }

    /// A question of `second` seconds from now.
    private func row(_ second: Int) -> String {
        let ts = Date(timeIntervalSinceNow: TimeInterval(second)).ISO8601Format()
        return
            #"{"topic":"human.interact","payload":{"question":"Q\#(second)","options":["a"]},"ts":"\#(ts)"}"#
            + "\n"
    }

    @Test func `a question without a process that could take the answer is not offered`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("a/.ralph/events.jsonl", row(-20))
            try directory.write("a/ralph.yml", "RObot: {enabled: true, mode: web, timeout_seconds: 0}")
            let lock = try directory.holdLock(of: "a")
            try await withServer(in: directory) { server in
                try await eventually(within: .seconds(10), "a question") { try await ids(server).count == 1 }
                let id = try await ids(server)[0]
                try lock.close()
                try await eventually(within: .seconds(10), "no question") { try await ids(server).isEmpty }

                let body = #"{"question_id":"\#(id)","response_text":"x"}"#
                let answer = try await server.post("/api/robot/response", body)
                #expect(answer.status == 410)
                let session = try await server.waitForSession("a", events: 1)
                let status = try await server.get("/api/sessions/\(session)/status").object()
                #expect(status["status"] as? String == "running" && status["pending_questions"] as? Int == 0)
            }
        }
    }

    @Test func `a question keeps its id when the server is started again`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("a/.ralph/events.jsonl", row(-20) + row(-10))
            let lock = try directory.holdLock(of: "a")
            defer { try? lock.close() }  // it is freed with the descriptor in any case
            let before = Landed()
            try await withServer(in: directory) { server in
                try await eventually(within: .seconds(10), "questions") { try await ids(server).count == 2 }
                before.value = try await ids(server)
            }
            try await withServer(in: directory) { server in
                try await eventually(within: .seconds(10), "questions") { try await ids(server).count == 2 }
                #expect(try await ids(server) == before.value)
                try directory.append(
                    "a/.ralph/events.jsonl",
                    #"{"topic":"human.response","payload":"x","ts":"2026-11-21T03:20:36Z"}"# + "\n")
                try await eventually(within: .seconds(10), "an answer") { try await ids(server).count == 1 }
                #expect(try await ids(server) == Array(before.value.suffix(1)))
            }
        }
    }

    /// When the device that gave an answer is revoked.
    enum Revocation: CaseIterable { case never, beforeTheRestart, behindIt }

    private static var asking: StandInSetup {
        var setup = StandInSetup(
            steps: """
                always:
                  log-prompt prompts.txt
                iteration 1:
                  ask Which format?
                  wait-for .ralph-go
                iteration 2:
                  wait-for .ralph-end
                """)
        setup.sections = "RObot: {enabled: true, mode: web, timeout_seconds: 0}"
        return setup
    }

    /// Runs `body` against a server on the workspace's surroundings, always with the same state.
    private func serve(
        _ workspace: StandInWorkspace, _ body: (RunningServer, ServerParts) async throws -> Void
    ) async throws {
        try await withServerParts(
            in: workspace.outside,
            {
                $0.ralph = StandIn.ralph
                $0.rescan = .milliseconds(500)
            }, body)
    }

    /// Waits for the only question that is open.
    private func openQuestion(_ parts: ServerParts) async throws -> String {
        try await eventually(within: .seconds(20), "a question") { !parts.questions.list().isEmpty }
        return try #require(parts.questions.list().first?.id)
    }

    /// Has a run ask, and `device` answer before that waits for it; the question's id.
    private func hold(by device: DeviceID, _ server: RunningServer, _ parts: ServerParts) async throws
        -> String
    {
        _ = try await server.start()
        let id = try await openQuestion(parts)
        let caller = Caller(peer: "10.0.0.9", access: .device(device))
        let held = try await parts.questions.answer(
            id, with: "zebra", by: parts.control.requester(caller), patience: .zero)
        #expect(held.isPending && parts.questions.list().isEmpty)
        return id
    }

    @Test func `a held answer's question is open again as soon as its device is revoked`() async throws {
        try await withStandInWorkspace(Self.asking) { workspace in
            try PairedDevice.store(in: workspace.outside)
            let device = try #require(DeviceID(PairedDevice.answer.id))
            try await serve(workspace) { server, parts in
                let id = try await hold(by: device, server, parts)
                let revoked = try await server.send("DELETE", "/api/devices/\(PairedDevice.answer.id)")
                #expect(revoked.status == 200)
                // Its run goes on with nothing before that.
                #expect(try await openQuestion(parts) == id)
            }
        }
    }

    @Test(arguments: Revocation.allCases)
    func `a held answer is not delivered behind a restart when its device was revoked`(
        _ revocation: Revocation
    ) async throws {
        try await withStandInWorkspace(Self.asking) { workspace in
            try PairedDevice.store(in: workspace.outside)
            let device = try #require(DeviceID(PairedDevice.answer.id))
            try await serve(workspace) { server, parts in
                _ = try await hold(by: device, server, parts)
                if revocation == .beforeTheRestart { _ = try parts.devices.revoke(device) }
            }
            try await serve(workspace) { _, parts in
                if revocation == .behindIt { _ = try parts.devices.revoke(device) }
                try workspace.directory.write(".ralph-go", "")
                if revocation != .never {
                    let id = try await openQuestion(parts)
                    _ = try await parts.questions.answer(id, with: "okapi", by: .unrevocable("owner"))
                }
                let expected = revocation == .never ? ["zebra"] : ["okapi"]
                try await eventually(within: .seconds(20), "the answer in a prompt") {
                    let prompts = workspace.text("prompts.txt") ?? ""
                    return ["zebra", "okapi"].filter { prompts.contains($0) } == expected
                }
            }
        }
    }
}
