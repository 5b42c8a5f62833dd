import RalphTestSupport
import Testing

@testable import RalphControl

@Suite struct CommandLinePlanTests {
    private func plan(_ line: String) -> LaunchPlan {
        LaunchPlan(commandLine: line.split(separator: " ").map(String.init), workspace: "/w")
    }

    @Test func `a run is continued with the flags of its command line`() {
        let plan = plan(
            "/bin/ralph -c a.yml -c core.scratchpad=x.md run -H builtin:debug -P docs/p.md -b claude "
                + "--max-iterations 7 --completion-promise=DONE --rpc --record-session r.jsonl -q -- --model x"
        )

        #expect(plan.config == "/w/a.yml")
        #expect(plan.overrides == ["core.scratchpad=x.md"])
        #expect(plan.hats == "builtin:debug")
        #expect(plan.prompt == .file("/w/docs/p.md"))
        #expect(plan.backend == "claude")
        #expect(plan.maxIterations == 7)
        #expect(plan.completionPromise == "DONE")
        #expect(plan.mode == .rpc)
        #expect(plan.arguments == ["--model", "x"])
        #expect(!plan.worktree && plan.skipsPreflight == nil)
    }

    @Test func `a run that did without its checks is continued without them`() {
        #expect(plan("ralph run --skip-preflight -P p.md").skipsPreflight == true)
        #expect(plan("ralph run -p x -- --skip-preflight").skipsPreflight == nil)
    }

    @Test func `short flags in one word are told apart`() {
        let plan = plan("ralph run -qvc a.yml -H=h.yml -ap fix -bclaude")

        #expect(plan.config == "/w/a.yml" && plan.hats == "h.yml" && plan.backend == "claude")
        #expect(plan.mode == .autonomous && plan.prompt == .text("fix"))
        #expect(self.plan("ralph run -apfix").prompt == .text("fix"))
    }

    @Test(arguments: [
        ("--no-tui", true), ("-ap fix", true), ("--rpc", false), ("", false), ("-p --no-tui", false),
        ("-- -a", false),
    ])
    func `agents have no terminal where the command line says so`(flags: String, isHeadless: Bool) {
        let words = "ralph run \(flags)".split(separator: " ").map(String.init)
        #expect(LaunchPlan.isHeadless(words) == isHeadless)
    }

    @Test func `paths are those of the directory that the process works in`() {
        let plan = LaunchPlan(
            commandLine: ["ralph", "run", "-c", "a.yml", "-P", "/p.md"],
            workspace: "/w/.worktrees/x", directory: "/w")

        #expect(plan.workspace == "/w/.worktrees/x" && plan.prompt == .file("/p.md"))
        #expect(plan.config == "/w/a.yml")
    }

    @Test func `hats are a file where one has the name, and else what Ralph looks for by it`() async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write("h.yml", "hats: {}\n")
            for (name, hats) in [
                ("h.yml", file), (file, file), ("tdd", "tdd"), ("builtin:tdd", "builtin:tdd"),
            ] {
                let plan = LaunchPlan(
                    commandLine: ["ralph", "run", "-H", name], workspace: directory.path)
                #expect(plan.hats == hats)
            }
        }
    }

    @Test(arguments: [
        ("ralph run", "other.yml", "/w/other.yml"), ("ralph run", "/o.yml", "/o.yml"),
        ("ralph run -c core.specs_dir=x", "other.yml", "/w/other.yml"),
        ("ralph run -c a.yml", "other.yml", "/w/a.yml"),
        ("ralph run", "https://example.com/r.yml", "https://example.com/r.yml"),
        ("ralph -c http://example.com/r.yml run", "other.yml", "http://example.com/r.yml"),
    ])
    func `the environment's configuration counts where no file is named, and an address stays one`(
        _ line: String, _ standard: String, _ config: String
    ) {
        let plan = LaunchPlan(
            commandLine: line.split(separator: " ").map(String.init), workspace: "/w",
            standardConfig: standard)
        #expect(plan.config == config)
    }

    @Test(arguments: [("/w/h.yml", "/w/h.yml"), (nil, "h.yml")])
    func `hats are a file where one was noted, without a look at the disk`(_ noted: String?, _ hats: String) {
        let plan = LaunchPlan(
            commandLine: ["ralph", "run", "-H", "h.yml"], workspace: "/w",
            files: RunRecord.Files(config: nil, hats: noted))
        #expect(plan.hats == hats)
    }

    @Test(arguments: [
        ("ralph run -a", LaunchPlan.Mode.autonomous), ("ralph run --autonomous", .autonomous),
        ("ralph run --no-tui", .headless), ("ralph run", .headless),
    ])
    func `the mode is kept, and without one it is headless`(line: String, mode: LaunchPlan.Mode) {
        #expect(plan(line).mode == mode)
    }

    @Test(arguments: ["-pdo", "-p=do", "--prompt=do", "-p do", "--prompt do"])
    func `values may be glued to their flags`(flag: String) {
        #expect(plan("ralph run " + flag).prompt == .text("do"))
    }

    @Test func `what is no ralph at all gives a plan with defaults`() {
        #expect(plan("-c").config == nil)
        #expect(plan("").prompt == .configured)
        #expect(plan("ralph run --max-iterations").maxIterations == nil)
        #expect(plan("ralph run --max-iterations -3").maxIterations == nil)
    }
}
