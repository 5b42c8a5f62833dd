import Foundation
import Logging
import RalphSessions
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphControl

@Suite(.timeLimit(.minutes(1))) struct SpawnTests {
    private func configuration(of run: SpawnedRun) throws -> String {
        try String(contentsOfFile: RunFiles.config(beside: run.output), encoding: .utf8)
    }

    @Test func `a run gets files of its own that nobody else may read`() async throws {
        try await withLaunchScene("echo out; echo err >&2; exec sleep 60") { scene in
            let run = try scene.spawn()
            let folder = "state/runs/\(scene.session)/1"

            #expect(run.output == "\(scene.directory.path)/\(folder)/stdout.jsonl")
            #expect(try scene.directory.mode(folder) == 0o700)
            #expect(try scene.directory.mode("state/runs") == 0o700)
            for name in ["ralph.yml", "stdout.jsonl", "stderr.log"] {
                #expect(try scene.directory.mode("\(folder)/\(name)") == 0o600)
            }
            try await eventually(within: .seconds(10)) {
                let output = try String(contentsOfFile: run.output, encoding: .utf8)
                return try output == "out\n" && String(contentsOfFile: run.errors, encoding: .utf8) == "err\n"
            }
        }
    }

    @Test func `a run is told what was chosen, and where it is`() async throws {
        try await withLaunchScene("pwd; echo \"$@\"; env; sleep 60; :") { scene in
            scene.settings.environment["OLDPWD"] = "/"
            let run = try scene.spawn()

            try await eventually(within: .seconds(10)) {
                let lines = try String(contentsOfFile: run.output, encoding: .utf8).split(separator: "\n")
                let command = "run --rpc -c \(RunFiles.config(beside: run.output)) -p do it --exclusive"
                return lines.first == scene.workspace[...] && lines.dropFirst().first == command[...]
                    && lines.contains("PWD=\(scene.workspace)") && !lines.contains { $0.hasPrefix("OLDPWD=") }
            }
            // A child of the shell has its command line until it becomes another program.
            try await eventually(within: .seconds(5), "the run alone") {
                ProcessTree().processes(withArgument: RunFiles.config(beside: run.output)) == [run.process]
            }
        }
    }

    @Test func `a run begins with the limit on descriptors that it is given`() async throws {
        try await withLaunchScene("exec sleep 60") { scene in
            scene.settings.descriptors = 200
            let run = try scene.spawn()

            let limits = try String(contentsOfFile: "/proc/\(run.process.pid)/limits", encoding: .utf8)
            let files = limits.split(separator: "\n").first { $0.hasPrefix("Max open files") }
            #expect(files?.split(separator: " ").dropFirst(3).first == "200")
        }
    }

    @Test func `the configuration is the chosen one with the gate`() async throws {
        try await withLaunchScene("exec sleep 60") { scene in
            try scene.directory.write("w/ralph.yml", "mine: yes\n")
            try scene.directory.write("other/big.yml", "theirs: no\nhats: {a: {import: hat.yml}}\n")
            try scene.directory.write("other/hat.yml", "name: Imported\n")
            var plan = scene.plan
            let standard = try configuration(of: scene.spawn())
            plan.config = scene.directory.path + "/other/big.yml"
            let chosen = try configuration(of: scene.spawn(plan))

            #expect(standard.hasPrefix("mine: yes\nhooks:"))
            #expect(chosen.contains("theirs: no"))
            #expect(chosen.contains("name: Imported"))
            #expect(chosen.contains("pause-gate"))
        }
    }

    @Test func `a prompt that cannot be an argument arrives whole`() async throws {
        let text = "--help\n" + String(repeating: "long ", count: 60_000)
        try await withLaunchScene("while [ $# -gt 0 ]; do [ \"$1\" = -P ] && cat \"$2\"; shift; done") {
            scene in
            var plan = scene.plan
            plan.prompt = .text(text)
            let run = try scene.spawn(plan)

            try await eventually(within: .seconds(10)) {
                try String(contentsOfFile: run.output, encoding: .utf8) == text
            }
        }
    }

    @Test func `of a session's runs the newest five stay, and those that live`() async throws {
        try await withLaunchScene("[ -e quick ] && exit 0; echo $$ > up; sleep 60; :") { scene in
            let living = try scene.spawn()
            #expect(try await scene.directory.pid("w/up") == living.process.pid)
            try scene.directory.write("w/quick", "")
            for _ in 0..<8 {
                let run = try scene.spawn()
                scene.launcher.removeOlder(than: run)
                let handle = try #require(ProcessHandle(run.process))
                #expect(await handle.waitForExit(until: .now + .seconds(10)))
                _ = handle.reap()
            }

            let kept = try scene.directory.names(in: "state/runs/\(scene.session)").sorted()

            #expect(kept == ["1", "5", "6", "7", "8", "9"])
            #expect(living.process.isAlive)
        }
    }

    @Test func `what another session of the directory still has stays, until both are purged`() async throws {
        try await withLaunchScene("exit 0") { scene in
            let runs = scene.directory.path + "/state/runs"
            let loop = runs + "/\(scene.session)/2/stdout.jsonl"
            let launcher = RunLauncher(
                settings: scene.settings, keepsOutput: { $0 == loop }, logger: Logger(label: "test"))
            for _ in 0..<8 {
                let run = try launcher.spawn(scene.plan, session: scene.session, isContinuation: false)
                launcher.removeOlder(than: run)
                let handle = try #require(ProcessHandle(run.process))
                #expect(await handle.waitForExit(until: .now + .seconds(10)))
                _ = handle.reap()
            }
            func kept() throws -> [String] {
                try scene.directory.names(in: "state/runs/\(scene.session)").sorted()
            }
            #expect(try kept() == ["2", "4", "5", "6", "7", "8"])

            let newest = runs + "/\(scene.session)/8/stdout.jsonl"
            scene.settings.removeRuns(of: scene.session, outputs: [newest]) { $0 == loop }
            // The number of the newest one is not given again.
            #expect(try kept() == ["2", "8"])
            #expect(try scene.directory.names(in: "state/runs/\(scene.session)/8").isEmpty)

            let other = try #require(SessionID("0123456789abcdef"))
            let strange = [runs + "/\(scene.session)/../\(scene.session)/8/stdout.jsonl", runs, "/etc/hosts"]
            scene.settings.removeRuns(of: other, outputs: strange + [loop]) { _ in false }
            #expect(try kept() == ["8"])
        }
    }
}
