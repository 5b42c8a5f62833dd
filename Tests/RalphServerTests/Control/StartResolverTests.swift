import Foundation
import RalphControl
import RalphSessions
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct StartResolverTests {
    /// A root with a workspace, presets and prompts, and something outside of it.
    private func withRoot(_ body: (StartResolver, TemporaryDirectory) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            for name in [
                "base/ralph.yml", "base/presets/tdd.yml", "base/presets/both.yaml", "base/ws/ralph.yml",
                "base/ws/presets/both.yml", "library/configs/shipped.yml", "library/presets/plan.yml",
                "library/hats/reviewer.yml", "outside/secret.yml", "base/ws/deep/er/x.yml",
            ] { try directory.write(name, "event_loop: {}\n") }
            for name in ["base/prompts/fix.md", "base/ws/PROMPT.md", "outside/secret.md"] {
                try directory.write(name, "do it\n")
            }
            let root = directory.path + "/base"
            try FileManager.default.createSymbolicLink(
                atPath: root + "/ws/escape", withDestinationPath: directory.path + "/outside")
            try FileManager.default.createSymbolicLink(
                atPath: root + "/inner.yml", withDestinationPath: root + "/presets/tdd.yml")
            try body(
                StartResolver(roots: [root], libraries: [directory.path + "/library"], home: root),
                directory)
        }
    }

    private func request(_ json: String) throws -> StartRequest {
        try StartRequest(RequestObject(Array(json.utf8)))
    }

    @Test(arguments: [
        ("ws/ralph.yml", "base/ws/ralph.yml"), ("ralph.yml", "base/ws/ralph.yml"),
        ("presets/tdd.yml", "base/presets/tdd.yml"), ("tdd", "base/presets/tdd.yml"),
        ("both", "base/ws/presets/both.yml"), ("shipped", "library/configs/shipped.yml"),
        ("plan", "library/presets/plan.yml"), ("inner.yml", "base/presets/tdd.yml"),
        ("./deep/er/x.yml", "base/ws/deep/er/x.yml"), ("deep/../ralph.yml", "base/ws/ralph.yml"),
    ])
    func `a configuration is found by path or name, the working directory first`(
        _ given: String, _ expected: String
    ) async throws {
        try await withRoot { resolver, directory in
            let found = try resolver.resolve(
                request(#"{"working_dir":"ws","config_path":"\#(given)","prompt":"go"}"#))

            #expect(found.plan.config == directory.path + "/" + expected)
            #expect(found.directory.path == directory.path + "/base/ws/.ralph")
        }
    }

    @Test func `an absolute path inside a root is taken, one outside is not there`() async throws {
        try await withRoot { resolver, directory in
            let inside = directory.path + "/base/presets/tdd.yml"
            let found = try resolver.resolve(request(#"{"config_path":"\#(inside)","prompt":"go"}"#))
            #expect(found.plan.config == inside)

            let outside = directory.path + "/outside/secret.yml"
            #expect(throws: Problem.notFound("config_not_found", outside)) {
                try resolver.resolve(request(#"{"config_path":"\#(outside)","prompt":"go"}"#))
            }
        }
    }

    @Test(arguments: [
        ("escape/secret.yml", "config_not_found"), ("../outside/secret.yml", "config_not_found"),
        ("presets", "config_not_found"), ("nothing", "config_not_found"), ("/dev/null", "config_not_found"),
    ])
    func `what leads out of the roots or is no file is not found`(_ given: String, _ prefix: String)
        async throws
    {
        try await withRoot { resolver, _ in
            #expect(throws: Problem.notFound(prefix, given)) {
                try resolver.resolve(
                    request(#"{"working_dir":"ws","config_path":"\#(given)","prompt_path":"x"}"#))
            }
        }
    }

    @Test(arguments: [
        "nowhere", "ralph.yml", "..", "/", "/tmp", "ws/escape", "~/nowhere", "ws/../../outside", "a\\nb",
    ])
    func `a working directory that is none, or outside, is refused first`(_ given: String) async throws {
        try await withRoot { resolver, _ in
            let body = #"{"working_dir":"\#(given)","config_path":"nothing"}"#
            let shown = given.replacing("\\n", with: " ")
            #expect(throws: Problem.invalidPath("working directory not found: \(shown)")) {
                try resolver.resolve(request(body))
            }
        }
    }

    @Test(arguments: ["ws", "~/ws", "./ws/", "ws/deep/.."])
    func `a working directory is relative to the root, or to home`(_ given: String) async throws {
        try await withRoot { resolver, directory in
            let found = try resolver.resolve(request(#"{"working_dir":"\#(given)","prompt_path":"fix"}"#))

            #expect(found.plan.workspace == directory.path + "/base/ws")
            #expect(found.plan.prompt == .file(directory.path + "/base/prompts/fix.md"))
        }
    }

    @Test(arguments: [
        (#"{}"#, "prompt_path or prompt is required"),
        (#"{"prompt":"  \n"}"#, "prompt_path or prompt is required"),
        (#"{"prompt":7}"#, "prompt must be a string"),
        (#"{"prompt":"a\u0000b"}"#, "prompt must not contain NUL"),
        (#"{"config_path":{}}"#, "config_path must be a string"),
        (#"{"working_dir":[]}"#, "working_dir must be a string"),
        (#"{"prompt":"a","max_iterations":0}"#, "max_iterations must be a number from 1 to 10000"),
        (#"{"prompt":"a","max_iterations":10001}"#, "max_iterations must be a number from 1 to 10000"),
        (#"{"prompt":"a","max_iterations":1.5}"#, "max_iterations must be a number from 1 to 10000"),
        (#"{"prompt":"a","max_iterations":-1}"#, "max_iterations must be a number from 1 to 10000"),
        (#"{"prompt":"a","max_iterations":"5"}"#, "max_iterations must be a number"),
        (#"{"prompt":"a","worktree":"yes"}"#, "worktree must be true or false"),
        (#"{"prompt":"a","hats":"builtin:../x"}"#, "hats: no builtin has such a name"),
        (#"[]"#, "the body must be a JSON object"), ("", "the body must be a JSON object"),
        (#"{"prompt":"a"}}"#, "the body must be a JSON object"),
        (#"{"a":"# + String(repeating: "[", count: 200), "the body must be nested at most 128 deep"),
    ])
    func `what has a wrong type or value is named`(_ json: String, _ why: String) async throws {
        try await withRoot { resolver, _ in
            #expect(throws: Problem.invalidRequest(why)) { try resolver.resolve(request(json)) }
        }
    }

    @Test func `options become the plan`() async throws {
        try await withRoot { resolver, directory in
            let found = try resolver.resolve(
                request(
                    #"{"prompt":"-go\n","max_iterations":7,"backend":"custom","hats":"reviewer","worktree":true,"x":1}"#
                ))

            #expect(found.plan.prompt == .text("-go\n"))
            #expect(found.plan.maxIterations == 7)
            #expect(found.plan.backend == "custom")
            #expect(found.plan.hats == directory.path + "/library/hats/reviewer.yml")
            #expect(found.plan.worktree)
        }
    }

    @Test func `a prompt that no argument can hold is too large`() async throws {
        let text = String(repeating: "x", count: StartRequest.maximumPromptBytes + 1)
        #expect(throws: Problem.memberTooLarge("prompt", limit: StartRequest.maximumPromptBytes)) {
            try request(#"{"prompt":"\#(text)"}"#)
        }
    }
}
