import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphSessions

@Suite(.timeLimit(.minutes(1))) struct SessionWatcherTests {
    @Test func `a session is found and read in one step, then followed`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            let fixture = try SessionWatcherFixture(directory)
            let id = fixture.id("p/.ralph")

            fixture.step()
            #expect(fixture.foundNames() == ["p/.ralph"])
            #expect(fixture.events[id] == 1)

            try directory.append("p/.ralph/events-20260101-000000.jsonl", TemporaryDirectory.line("a"))
            try await fixture.until("the new line") { $0.events[id] == 2 }
        }
    }

    @Test func `a workspace made while running is seen, however deep`() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try SessionWatcherFixture(directory) { $0.rescanInterval = .seconds(1000) }
            fixture.step()

            try directory.makeWorkspace("a/b/new")

            try await fixture.until("the new session") { $0.foundNames() == ["a/b/new/.ralph"] }
        }
    }

    @Test func `a new run is read from its own file`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            let fixture = try SessionWatcherFixture(directory) { $0.rescanInterval = .seconds(1000) }
            fixture.step()

            try directory.makeWorkspace("p", run: "20260102-000000")

            let id = fixture.id("p/.ralph")
            try await fixture.until("the second run") {
                $0.events[id] == 2 && $0.changed.last?.loopID == "primary-20260102-000000"
            }
        }
    }

    @Test func `a copy becomes a session when the worktree's loop takes its name`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            let fixture = try SessionWatcherFixture(directory) { $0.rescanInterval = .seconds(1000) }
            try directory.makeWorkspace("p/.worktrees/w")
            try await fixture.until("the main session") { $0.foundNames() == ["p/.ralph"] }

            try directory.write("p/.worktrees/w/.ralph/current-loop-id", "fair-rose")

            try await fixture.until("the worktree") { $0.foundNames().contains("p/.worktrees/w/.ralph") }
        }
    }

    @Test func `a deleted workspace is gone and one that returns is found again`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            let fixture = try SessionWatcherFixture(directory) { $0.rescanInterval = .seconds(1000) }
            fixture.step()

            try directory.remove("p")
            try await fixture.until("the end") { $0.gone == [fixture.id("p/.ralph")] }
            try directory.makeWorkspace("p")
            try await fixture.until("the return") { $0.found.count == 2 }
        }
    }

    @Test func `a directory that was exchanged is followed in its new place`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            let fixture = try SessionWatcherFixture(directory) { $0.rescanInterval = .seconds(1000) }
            let id = fixture.id("p/.ralph")
            fixture.step()

            try FileManager.default.moveItem(atPath: directory.path + "/p", toPath: directory.path + "/q")
            try directory.makeWorkspace("p", run: "20260505-000000")
            try await fixture.until("both") { $0.events[$0.id("q/.ralph")] == 1 && $0.events[id] ?? 0 >= 2 }
            let before = fixture.events[id] ?? 0
            try directory.append("p/.ralph/events-20260505-000000.jsonl", TemporaryDirectory.line("a"))

            try await fixture.until("the new line") { $0.events[id] == before + 1 }
        }
    }

    @Test func `saved positions are gone on from`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            let first = try SessionWatcherFixture(directory)
            let id = first.id("p/.ralph")
            try await first.until("the first line") { $0.events[id] == 1 }
            try directory.append("p/.ralph/events-20260101-000000.jsonl", TemporaryDirectory.line("b"))

            let saved = SavedTail(checkpoints: first.checkpoints[id] ?? [:], state: nil)
            let second = try SessionWatcherFixture(directory, saved: [id: saved])

            try await second.until("the second line") { $0.events[id] == 1 }
        }
    }

    @Test func `output of a run that appears later is read`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            let fixture = try SessionWatcherFixture(directory) { $0.rescanInterval = .seconds(1000) }
            fixture.step()

            try directory.write("p/rpc-stdout.jsonl", #"{"type":"tool_call_start","toolName":"Bash"}"# + "\n")

            try await fixture.until("its checkpoint") {
                $0.checkpoints[$0.id("p/.ralph")]?.keys.contains("agent:rpc-stdout.jsonl") == true
            }
        }
    }

    @Test func `output of a run is followed in a workspace that was renamed`() async throws {
        try await withTemporaryDirectory { directory in
            let row = #"{"type":"tool_call_start","toolName":"Bash"}"# + "\n"
            try directory.makeWorkspace("p")
            try directory.write("p/rpc-stdout.jsonl", row)
            let fixture = try SessionWatcherFixture(directory) { $0.rescanInterval = .seconds(1000) }
            try await fixture.until("its line and the row") { $0.events[$0.id("p/.ralph")] == 2 }

            try FileManager.default.moveItem(atPath: directory.path + "/p", toPath: directory.path + "/q")
            try await fixture.until("both again") { $0.events[$0.id("q/.ralph")] == 2 }
            try directory.append("q/rpc-stdout.jsonl", row)
            try await fixture.until("one more") { $0.events[$0.id("q/.ralph")] == 3 }
        }
    }

    @Test(arguments: ["p/rpc-stdout.jsonl", "out.jsonl"])
    func `output of a run that is removed with its workspace is read to its end`(name: String) async throws {
        try await withTemporaryDirectory { directory in
            let row = #"{"type":"tool_call_start","toolName":"Bash"}"# + "\n"
            let output = directory.path + "/" + name
            try directory.makeWorkspace("p")
            try directory.write(name, row)
            let fixture = try SessionWatcherFixture(directory) {
                $0.rescanInterval = .seconds(1000)
                $0.agentOutput = { _ in [output] }
            }
            let id = fixture.id("p/.ralph")
            try await fixture.until("its line and the row") { $0.events[id] == 2 }

            // The first is read at once, the others a quarter of a second behind it.
            for _ in 3...5 {
                try directory.append(name, row)
                fixture.step()
            }
            try directory.append(name, row)
            try directory.remove("p")

            try await fixture.until("the end") { $0.gone == [id] }
            #expect(fixture.events[id] == 6)
        }
    }

    @Test func `a session is watched whose oldest output is gone`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            try directory.write("runs/2/stdout.jsonl", "")
            let outputs = [1, 2].map { directory.path + "/runs/\($0)/stdout.jsonl" }
            let fixture = try SessionWatcherFixture(directory) { $0.agentOutput = { _ in outputs } }
            try await fixture.until("a report") { $0.report.sessions == 1 }

            #expect(fixture.report.polled.isEmpty)
            let row = #"{"type":"tool_call_start","toolName":"Bash"}"# + "\n"
            try directory.append("runs/2/stdout.jsonl", row)
            try await fixture.until("its line") { $0.events[fixture.id("p/.ralph")] == 2 }
        }
    }

    @Test func `a root that is made later is seen`() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try SessionWatcherFixture(directory) { $0.roots = [directory.path + "/late"] }
            fixture.step()
            #expect(fixture.report.unreadable.count == 1)

            try directory.makeWorkspace("late/p")

            try await fixture.until(within: .seconds(3), "the session") {
                $0.foundNames() == ["late/p/.ralph"]
            }
        }
    }

    @Test func `a root that goes and comes back is seen as soon as one that is made later`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("root/p")
            let fixture = try SessionWatcherFixture(directory) {
                $0.roots = [directory.path + "/root"]
                $0.rescanInterval = .seconds(1000)
            }
            try await fixture.until("the session") { $0.foundNames() == ["root/p/.ralph"] }

            try FileManager.default.removeItem(atPath: directory.path + "/root")
            try await fixture.until("its end") { !$0.gone.isEmpty && !$0.report.unreadableRoots.isEmpty }
            try directory.makeWorkspace("root/q")

            try await fixture.until(within: .seconds(3), "the new session") {
                $0.foundNames() == ["root/p/.ralph", "root/q/.ralph"]
            }
        }
    }

    @Test func `a pointer to another directory of the workspace is followed`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            try directory.makeDirectory("p/logs")
            try directory.write("p/.ralph/current-events", "logs/run.jsonl")
            let fixture = try SessionWatcherFixture(directory) { $0.rescanInterval = .seconds(1000) }
            let id = fixture.id("p/.ralph")
            fixture.step()
            let before = fixture.events[id] ?? 0

            try directory.append("p/logs/run.jsonl", TemporaryDirectory.line("a"))
            try await fixture.until("the first line") { $0.events[id] == before + 1 }
            try directory.append("p/logs/run.jsonl", TemporaryDirectory.line("b"))
            try await fixture.until("the second line") { $0.events[id] == before + 2 }
        }
    }

    @Test func `a pointer to a link to a file elsewhere in the workspace is followed`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            try directory.write("p/logs/run.jsonl", "")
            try directory.link("p/.ralph/x.jsonl", to: "../logs/run.jsonl")
            try directory.write("p/.ralph/current-events", ".ralph/x.jsonl")
            let fixture = try SessionWatcherFixture(directory) { $0.rescanInterval = .seconds(1000) }
            let id = fixture.id("p/.ralph")
            fixture.step()
            let before = fixture.events[id] ?? 0

            for number in 1...2 {
                try directory.append("p/logs/run.jsonl", TemporaryDirectory.line("a"))
                try await fixture.until("line \(number)") { $0.events[id] == before + number }
            }
        }
    }

    @Test(arguments: ["run.log.jsonl", "run.log"])
    func `a pointer to a file of another name beside the others is followed`(name: String) async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            try directory.write("p/.ralph/" + name, TemporaryDirectory.line("a"))
            try directory.write("p/.ralph/current-events", ".ralph/" + name)
            let fixture = try SessionWatcherFixture(directory) { $0.rescanInterval = .seconds(1000) }
            let id = fixture.id("p/.ralph")
            try await fixture.until("both lines") { $0.events[id] == 2 && !$0.watcher.isScanWanted }

            try directory.append("p/.ralph/" + name, TemporaryDirectory.line("b"))

            try await fixture.until("the new line") { $0.events[id] == 3 }
        }
    }

    @Test func `a workspace made in a root at the deepest level of another one is seen`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeDirectory("a")
            let fixture = try SessionWatcherFixture(directory) {
                $0.roots = ["", "/a"].map { directory.path + $0 }
                $0.depth = 1
                $0.rescanInterval = .seconds(1000)
            }
            fixture.step()
            try await fixture.until("the end of the first scans") { !$0.watcher.isScanWanted }

            try directory.makeWorkspace("a/new")

            try await fixture.until("the new session") { $0.foundNames() == ["a/new/.ralph"] }
        }
    }

    @Test(arguments: [Duration.zero, .seconds(100)])
    func `a scan that somebody waits for comes at once, and another one in its time`(shortScan: Duration)
        async throws
    {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("a")
            let fixture = try SessionWatcherFixture(directory) {
                $0.rescanInterval = .seconds(1000)
                $0.shortScan = shortScan
            }
            let watcher = fixture.watcher
            try await fixture.until("the end of the first scans") {
                $0.found.count == 1 && !watcher.isScanWanted && !watcher.scanner.isWalking
            }
            fixture.isDeaf = true
            try directory.makeWorkspace("b")
            watcher.scanAllowed = .now + .seconds(1000)
            watcher.requestScan()
            try await fixture.until("the scan that is waited for") { $0.found.count == 2 }

            try directory.makeWorkspace("c")
            watcher.scanAllowed = .now + .seconds(1000)
            watcher.requestScan()
            for _ in 0..<10 { fixture.step() }
            #expect(fixture.found.count == 2)
            watcher.scanAllowed = .now
            try await fixture.until("the next one") { $0.found.count == 3 }
        }
    }

    @Test func `a signal ends the wait of a step`() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try SessionWatcherFixture(directory) { $0.rescanInterval = .seconds(1000) }
            for _ in 0..<5 { fixture.step() }
            fixture.watcher.wakeup.signal()

            #expect(
                ContinuousClock().measure { _ = fixture.watcher.next(timeout: .seconds(50)) } < .seconds(4))
        }
    }
}
