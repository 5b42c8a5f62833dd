import Foundation
import RalphTestSupport
import Testing

@testable import RalphControl
@testable import RalphSessions

/// Files of a workspace whose directories are swapped for links to the outside while they are read and written.
@Suite(.timeLimit(.minutes(1))) struct SwappedWorkspaceTests {
    private static let rounds = 300

    /// What was done at least once, of what is tried again and again.
    private struct Tally {
        private var done: [String: Int] = [:]

        /// Tries `action`; refused or busy is as good as done, but not every time.
        @discardableResult
        mutating func attempt<Value>(_ kind: String, _ action: () throws -> Value) -> Value? {
            do {
                let value = try action()
                done[kind, default: 0] += 1
                return value
            } catch {
                done[kind, default: 0] += 0
                return nil
            }
        }

        /// The kinds that never succeeded.
        var missing: [String] { done.filter { $0.value == 0 }.keys.sorted() }
    }

    /// What is not there is none either.
    private func found<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw POSIXError(.ENOENT) }
        return value
    }

    /// Calls `round` many times, and then until each of its kinds succeeded once.
    private func repeating(_ round: (inout Tally, Int) -> Void) async throws {
        var tally = Tally()
        for number in 1...Self.rounds { round(&tally, number) }
        do {
            try await eventually(within: .seconds(20), "a success of each kind") {
                if !tally.missing.isEmpty { round(&tally, Self.rounds) }
                return tally.missing.isEmpty
            }
        } catch {
            Issue.record("never done: \(tally.missing)")
        }
    }

    /// The outside looks like the workspace, so that whatever leads there finds what it wants.
    private func withTwins(
        _ swapped: String, _ body: (WorkspaceScene) async throws -> Void
    ) async throws {
        try await withWorkspace { scene in
            for name in ["main", "outside"] {
                let word = name == "main" ? "mine" : "secret"
                try scene.root.write("\(name)/.ralph/agent/memories.md", word)
                try scene.root.write("\(name)/.ralph/agent/tasks.jsonl", "")
                try scene.root.write("\(name)/.ralph/events.jsonl", "")
                try scene.root.write("\(name)/ralph.yml", "name: \(word)\n")
            }
            let before = try snapshot(scene)
            let path = scene.root.path
            let swaps = try await withSwapping(path + "/main" + swapped, for: path + "/outside" + swapped) {
                try await body(scene)
            }
            #expect(swaps > 0)
            #expect(try snapshot(scene) == before)
        }
    }

    /// Names, contents and times of everything outside.
    private func snapshot(_ scene: WorkspaceScene) throws -> [String: String] {
        let outside = scene.root.path + "/outside"
        var found: [String: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: outside) {
            let status = try #require(EntryStatus(at: outside + "/" + name))
            found[name] = "\(scene.text("outside/" + name) ?? "") \(status.modified)"
        }
        return found
    }

    @Test(arguments: ["", "/.ralph", "/.ralph/agent"])
    func `memories and tasks are written and read inside or not at all`(_ swapped: String) async throws {
        try await withTwins(swapped) { scene in
            let draft = TaskDraft(title: "t", description: nil, priority: 3, blockedBy: [])
            try await repeating { tally, number in
                tally.attempt("memories") {
                    try scene.memories.replace(with: Array("mine \(number)".utf8), ifModified: nil)
                }
                tally.attempt("task") { try scene.tasks.add(draft, now: 1) }
                let read = tally.attempt("reading") { try found(scene.memories.read()) }
                #expect(read.map { String(decoding: $0.bytes, as: UTF8.self) }?.contains("secret") != true)
            }
        }
    }

    @Test func `a configuration is imported and exported inside or not at all`() async throws {
        try await withTwins("") { scene in
            try await repeating { tally, _ in
                tally.attempt("import") {
                    try scene.config.replace(with: Array("name: new\n".utf8), stamp: "20260101-000000")
                }
                let read = tally.attempt("export") { try found(scene.config.read()) }
                #expect(
                    read.map { String(decoding: $0.content.bytes, as: UTF8.self) }?.contains("secret") != true
                )
            }
        }
    }

    @Test(arguments: ["", "/.ralph"])
    func `control files, rows and urgent words are written inside or not at all`(_ swapped: String)
        async throws
    {
        try await withTwins(swapped) { scene in
            let directory = SessionDirectory(workspace: scene.root.path + "/main")
            let files = ControlFiles(directory)
            try await repeating { tally, number in
                tally.attempt("stop") { try files.requestStop() }
                tally.attempt("urgent") { try files.addUrgent("u\(number)", at: 1) }
                tally.attempt("scratchpad") { try files.ensureScratchpad("notes/x.md") }
                tally.attempt("row") { try EventsFileWriter(directory).append(Array("{}".utf8)) }
                tally.attempt("clearing") { try files.clearStale() }
            }
        }
    }
}
