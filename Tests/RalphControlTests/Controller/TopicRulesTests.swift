import Foundation
import RalphTestSupport
import Testing

@testable import RalphControl

@Suite struct TopicRulesTests {
    /// Those of a workspace without a configuration.
    private static let plain = TopicRules(nil, workspace: "/none", user: nil)

    @Test(arguments: [
        "loop.terminate", "iteration.summary", "task.resume", "human.response", "human.interact",
        "human.guidance.ack", "LOOP_COMPLETE",
    ])
    func `topics that would end or corrupt a run are refused`(topic: String) {
        #expect(Self.plain.refusal(of: topic, payload: nil) != nil)
    }

    @Test(arguments: [
        "user.guidance", "user.pause", "build.done", "human.guidance", "LOOP_COMPLETED", "task.start",
    ])
    func `other topics are not`(topic: String) {
        #expect(Self.plain.refusal(of: topic, payload: "restart ralph") == nil)
    }

    @Test func `promises of every layer of the configuration count`() async throws {
        try await withTemporaryDirectory { root in
            try root.write("home/.ralph/config.yml", "event_loop: {completion_promise: USER_DONE}")
            try root.write(
                "own.yml", "event_loop: {completion_promise: OWN_DONE, cancellation_promise: loop.cancel}")
            try root.write("hats.yml", "event_loop: {completion_promise: HATS_DONE}")
            var plan = LaunchPlan(workspace: root.path, config: root.path + "/own.yml")
            plan.hats = root.path + "/hats.yml"
            plan.completionPromise = "FLAG_DONE"

            let rules = TopicRules(plan, workspace: root.path, user: root.path + "/home/.ralph/config.yml")

            for topic in ["USER_DONE", "OWN_DONE", "HATS_DONE", "FLAG_DONE", "loop.cancel", "LOOP_COMPLETE"] {
                #expect(rules.refusal(of: topic, payload: nil) != nil, "\(topic)")
            }
            #expect(rules.refusal(of: "DEBUG_COMPLETE", payload: nil) == nil)
            plan.hats = "builtin:debug"
            let builtin = TopicRules(plan, workspace: root.path, user: nil)
            #expect(builtin.refusal(of: "DEBUG_COMPLETE", payload: nil) != nil)
            #expect(builtin.refusal(of: "REVIEW_COMPLETE", payload: nil) == nil)
            plan.hats = "builtin:newer"
            let unknown = TopicRules(plan, workspace: root.path, user: nil)
            #expect(unknown.refusal(of: "REVIEW_COMPLETE", payload: nil) != nil)
        }
    }

    @Test(arguments: [
        ("please Restart Ralph now", true), ("RESTART YOURSELF", true), ("restart ralph\u{301}", true),
        ("restart ralph\u{FE0F} now", true), ("[\"restart yourself\u{1F3FB}\"]", true),
        ("restart the service", false), ("restart  ralph", false), ("", false),
    ])
    func `a prompt that makes Ralph restart itself is refused`(_ text: String, _ isRefused: Bool) {
        #expect(RestartWords.isFound(in: text) == isRefused)
        #expect((Self.plain.refusal(of: "user.prompt", payload: text) != nil) == isRefused)
    }
}
