import Testing

@testable import RalphControl

@Suite struct RunCommandTests {
    private func words(_ plan: LaunchPlan, isContinuation: Bool = false) -> [String] {
        let command = RunCommand(
            plan, config: "/r/ralph.yml", promptFile: "/r/prompt.md", isContinuation: isContinuation)
        return command.arguments
    }

    @Test func `a start says everything that was chosen`() {
        let plan = LaunchPlan(
            workspace: "/w", config: "/c.yml", prompt: .text("do it"), maxIterations: 7, backend: "claude",
            hats: "builtin:debug")

        #expect(
            words(plan) == [
                "run", "--rpc", "-c", "/r/ralph.yml", "-H", "builtin:debug", "-p", "do it", "-b", "claude",
                "--max-iterations", "7", "--exclusive",
            ])
    }

    @Test func `only a start that wants a worktree may get one`() {
        #expect(!words(LaunchPlan(workspace: "/w", worktree: true)).contains("--exclusive"))
        #expect(words(LaunchPlan(workspace: "/w")).contains("--exclusive"))
        let continued = words(LaunchPlan(workspace: "/w", worktree: true), isContinuation: true)
        #expect(continued.suffix(2) == ["--continue", "--exclusive"])
    }

    @Test func `checks that a run did without are not made for its continuation`() {
        var plan = LaunchPlan(workspace: "/w")
        plan.skipsPreflight = true
        plan.arguments = ["--model"]

        let continued = words(plan, isContinuation: true)
        #expect(
            continued.suffix(5) == ["--skip-preflight", "--continue", "--exclusive", "--", "--model"])
    }

    @Test(arguments: ["-p", "--help", "", String(repeating: "x", count: 200_000)])
    func `a prompt that is no argument goes through a file`(text: String) {
        let plan = LaunchPlan(workspace: "/w", prompt: .text(text))
        let command = RunCommand(
            plan, config: "/c", promptFile: "/r/prompt.md", isContinuation: false)

        #expect(command.promptText == text)
        #expect(command.arguments.contains("/r/prompt.md"))
        #expect(!command.arguments.contains("-p"))
    }

    @Test func `a prompt's file is named, a configured one is not`() {
        #expect(words(LaunchPlan(workspace: "/w", prompt: .file("/p.md"))).contains("/p.md"))
        #expect(words(LaunchPlan(workspace: "/w")) == ["run", "--rpc", "-c", "/r/ralph.yml", "--exclusive"])
    }
}
