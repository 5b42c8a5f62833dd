import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphControl

/// Locks, links and crashes, with tasks and memories as the examples.
@Suite(.timeLimit(.minutes(1)))
struct SharedFileTests {
    private let draft = TaskDraft(title: "t")

    @Test func `while somebody else has the lock nothing is read or written`() async throws {
        try await withWorkspace { scene in
            try scene.root.write(WorkspaceScene.tasksName, "{}\n")
            let lock = try scene.lock(WorkspaceScene.tasksName + ".lock")
            #expect(try scene.tasks.read() == nil)
            #expect(try scene.tasks.add(draft, now: 1) == nil)
            #expect(scene.text(WorkspaceScene.tasksName) == "{}\n")

            close(lock)

            #expect(try scene.tasks.read() != nil)
            #expect(try scene.tasks.add(draft, now: 1) != nil)
        }
    }

    @Test func `readers share the lock, writers do not`() async throws {
        try await withWorkspace { scene in
            try scene.root.write(WorkspaceScene.memoriesName, "x")
            let lock = try scene.lock(WorkspaceScene.memoriesName + ".lock", LOCK_SH)
            defer { close(lock) }
            #expect(try scene.memories.read()?.bytes == Array("x".utf8))
            #expect(try scene.memories.replace(with: [], ifModified: nil) == nil)
        }
    }

    @Test(arguments: ["old", nil])
    func `what somebody writes without the lock while a change is made stays`(_ old: String?) async throws {
        try await withWorkspace { scene in
            if let old { try scene.root.write(WorkspaceScene.memoriesName, old) }
            let path = scene.root.path + "/" + WorkspaceScene.memoriesName
            let file = SharedFile(place: scene.place, path: path, maximumBytes: 1 << 20)
            var seen: [UInt8]?
            let change = try file.change { content throws(WorkspaceError) in
                seen = content.bytes
                let isWritten = FileManager.default.createFile(
                    atPath: path, contents: Data("somebody's".utf8))
                return (bytes: Array("ours".utf8), value: isWritten)
            }
            #expect(change == nil && seen == Array((old ?? "").utf8))
            #expect(scene.text(WorkspaceScene.memoriesName) == "somebody's")
        }
    }

    @Test func `reading what is not there makes nothing`() async throws {
        try await withTemporaryDirectory { root in
            let place = WorkspacePlace(path: root.path, roots: [root.path])
            let tasks = try TaskFile(place).read()
            #expect(tasks?.bytes == [])
            #expect(try MemoryFile(place).read() == .missing)
            #expect(try ConfigFile(place).read() == nil)
            #expect(try root.names(in: "").isEmpty)
            #expect(try MemoryFile(place).replace(with: [1], ifModified: nil) != nil)
            #expect(try root.names(in: ".ralph/agent").sorted() == ["memories.md", "memories.md.lock"])
        }
    }

    @Test(arguments: ["../../../../.ralph/agent/memories.md", ""])
    func `a worktree's link is followed and stays`(_ relative: String) async throws {
        try await withWorkspace { scene in
            try scene.root.write(WorkspaceScene.memoriesName, "old")
            let link = "main/.worktrees/fair-rose/.ralph/agent/memories.md"
            let target = scene.root.path + "/" + WorkspaceScene.memoriesName
            try scene.link(link, to: relative.isEmpty ? target : relative)
            let worktree = WorkspacePlace(
                path: scene.root.path + "/main/.worktrees/fair-rose", roots: scene.place.roots)

            #expect(try MemoryFile(worktree).read()?.bytes == Array("old".utf8))
            #expect(try MemoryFile(worktree).replace(with: Array("new".utf8), ifModified: nil) != nil)

            #expect(scene.isLink(link))
            #expect(scene.text(WorkspaceScene.memoriesName) == "new")
            for name in [link, WorkspaceScene.memoriesName] {
                let lock = try scene.lock(name + ".lock")
                #expect(try MemoryFile(worktree).replace(with: [], ifModified: nil) == nil)
                close(lock)
            }
        }
    }

    @Test func `a link to a file that is not there yet makes it`() async throws {
        try await withWorkspace { scene in
            let link = "main/.worktrees/x/.ralph/agent/memories.md"
            try scene.link(link, to: scene.root.path + "/" + WorkspaceScene.memoriesName)
            let worktree = WorkspacePlace(
                path: scene.root.path + "/main/.worktrees/x", roots: scene.place.roots)
            #expect(try MemoryFile(worktree).read() == .missing)
            #expect(try MemoryFile(worktree).replace(with: Array("new".utf8), ifModified: nil) != nil)
            #expect(scene.isLink(link))
            #expect(scene.text(WorkspaceScene.memoriesName) == "new")
        }
    }

    @Test(arguments: [
        ("main/.ralph/agent/tasks.jsonl", "../../../outside/file"),
        ("main/.ralph/agent/tasks.jsonl", "../../../outside/new"),
        ("main/.ralph/agent/tasks.jsonl", "/etc/passwd"),
        ("main/.ralph/agent/tasks.jsonl", "tasks.jsonl"),
        ("main/.ralph/agent/tasks.jsonl", "../../nothing/../../outside/new"),
        ("main/.ralph/agent", "../../outside"),
        ("main/.ralph/agent/tasks.jsonl.lock", "../../../outside/file"),
    ])
    func `a link out of the roots is refused`(_ name: String, _ target: String) async throws {
        try await withWorkspace { scene in
            try scene.link(name, to: target)
            if name.hasSuffix(".lock") { try scene.root.write(WorkspaceScene.tasksName, "") }
            let error = #expect(throws: WorkspaceError.self) { try scene.tasks.add(draft, now: 1) }
            guard case .unsafePath = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(try scene.root.names(in: "outside") == ["file"])
            #expect(scene.text("outside/file") == "secret")
        }
    }

    @Test(arguments: [
        ("main/.ralph/agent/memories.md", "../../notes.md"),
        ("main/.ralph/agent/memories.md", "../../ralph.yml"),
        ("main/.ralph/agent/memories.md", "tasks.jsonl"), ("main/ralph.yml", "notes.md"),
        ("main/ralph.yml", ".hidden/team.yml"), ("main/ralph.yml", ".ralph/agent/tasks.jsonl"),
    ])
    func `a link to a file of another kind is refused`(_ name: String, _ target: String) async throws {
        try await withWorkspace { scene in
            for file in ["notes.md", ".hidden/team.yml", ".ralph/agent/tasks.jsonl"] {
                try scene.root.write("main/" + file, "secret")
            }
            if name != "main/ralph.yml" { try scene.root.write("main/ralph.yml", "secret") }
            try scene.link(name, to: target)
            let isConfig = name == "main/ralph.yml"

            #expect(throws: WorkspaceError.unsafePath(scene.root.path + "/" + name)) {
                if isConfig { _ = try scene.config.read() } else { _ = try scene.memories.read() }
            }
            #expect(throws: WorkspaceError.unsafePath(scene.root.path + "/" + name)) {
                if isConfig {
                    _ = try scene.config.replace(with: [], stamp: "20260101-000000")
                } else {
                    _ = try scene.memories.replace(with: [], ifModified: nil)
                }
            }
            #expect(FileManager.default.contents(atPath: scene.root.path + "/" + name) == Data("secret".utf8))
        }
    }

    @Test func `a configuration may be a link to a visible one of another name`() async throws {
        try await withWorkspace { scene in
            try scene.root.write("main/shared/team.yaml", "cli: {}")
            try scene.link("main/ralph.yml", to: "shared/team.yaml")

            #expect(try scene.config.read()?.content.bytes == Array("cli: {}".utf8))
        }
    }

    @Test func `a pipe, a directory and a broken path are errors`() async throws {
        try await withWorkspace { scene in
            try scene.root.write("main/.ralph/agent/tasks.jsonl/file", "")
            #expect(throws: WorkspaceError.self) { try scene.tasks.read() }
            #expect(throws: WorkspaceError.self) { try scene.tasks.add(draft, now: 1) }
            mkfifo(scene.root.path + "/" + WorkspaceScene.memoriesName, 0o600)
            #expect(throws: WorkspaceError.self) { try scene.memories.read() }
            #expect(throws: WorkspaceError.self) { try scene.memories.replace(with: [], ifModified: nil) }
            try scene.root.remove("main/.ralph")
            try scene.root.write("main/.ralph", "a file")
            #expect(throws: WorkspaceError.self) { try scene.tasks.read() }
        }
    }

    @Test func `mode stays, time moves on, and nothing is left over`() async throws {
        try await withWorkspace { scene in
            let path = try scene.root.write(WorkspaceScene.memoriesName, "a")
            chmod(path, 0o640)
            var times: [Int64] = []
            for _ in 0..<5 {
                times.append(try scene.memories.replace(with: [7], ifModified: times.last) ?? 0)
            }
            #expect(times == times.sorted())
            #expect(Set(times).count == 5)
            #expect(try scene.memories.read()?.modified == times.last)
            #expect(try scene.root.mode(WorkspaceScene.memoriesName) == 0o640)
            #expect(try scene.root.names(in: "main/.ralph/agent").count == 2)
        }
    }

    @Test(arguments: ["key.yml", "kept/key.yml"])
    func `a link to a secret is refused`(_ target: String) async throws {
        try await withWorkspace { scene in
            try scene.root.write("main/" + target, "secret")
            try scene.link("main/ralph.yml", to: target)
            #expect(try scene.config.read()?.content.bytes == Array("secret".utf8))
            let secrets = ["/main/key.yml", "/main/kept"].map { scene.root.path + $0 }
            let place = WorkspacePlace(path: scene.place.path, roots: scene.place.roots, secrets: secrets)

            #expect(throws: WorkspaceError.self) { _ = try ConfigFile(place).read() }
        }
    }

    @Test(arguments: [(0o755, 0o644, 0o755), (0o700, 0o600, 0o700)])
    func `what is new is as open as the directory above it`(_ above: Int, _ file: Int, _ directory: Int)
        async throws
    {
        try await withTemporaryDirectory { root in
            chmod(root.path, mode_t(above))
            let place = WorkspacePlace(path: root.path, roots: [root.path])
            _ = try TaskFile(place).add(draft, now: 1)
            for (name, mode) in [
                (".ralph/agent/tasks.jsonl", file), (".ralph/agent/tasks.jsonl.lock", file),
                (".ralph/agent", directory), (".ralph", directory),
            ] { #expect(try root.mode(name) == mode) }
        }
    }

    @Test func `a file that is another than the caller knows is not replaced`() async throws {
        try await withWorkspace { scene in
            #expect(throws: WorkspaceError.changed) { try scene.memories.replace(with: [1], ifModified: 5) }
            let time = try #require(try scene.memories.replace(with: [1], ifModified: nil))
            #expect(throws: WorkspaceError.changed) {
                try scene.memories.replace(with: [2], ifModified: time - 1)
            }
            #expect(try scene.memories.read()?.bytes == [1])
        }
    }

    @Test func `a workspace whose layout is not known is not written to`() async throws {
        try await withWorkspace { scene in
            try scene.root.write(WorkspaceScene.tasksName, "{}")
            let place = WorkspacePlace(path: scene.place.path, roots: scene.place.roots, isReadOnly: true)
            #expect(try TaskFile(place).read()?.bytes == Array("{}".utf8))
            #expect(throws: WorkspaceError.readOnly) { try TaskFile(place).add(draft, now: 1) }
            #expect(throws: WorkspaceError.readOnly) { try ConfigFile(place).replace(with: [], stamp: "1") }
            #expect(try scene.root.names(in: "main/.ralph/agent") == ["tasks.jsonl"])
        }
    }

    @Test(.enabled(if: FullDisk.canBeMounted, "a small file system cannot be mounted here"))
    func `a full disk leaves the old files`() async throws {
        try await withTemporaryDirectory { outer in
            let disk = try #require(FullDisk(below: outer))
            defer { disk.unmount() }
            let scene = try WorkspaceScene(TemporaryDirectory(path: disk.path))
            try scene.root.write(WorkspaceScene.tasksName, "{\"old\":1}\n")
            try scene.root.write(WorkspaceScene.memoriesName, "old")
            try scene.root.write("main/ralph.yml", "old: 1\n")
            try scene.root.write(WorkspaceScene.tasksName + ".lock", "")
            try scene.root.write(WorkspaceScene.memoriesName + ".lock", "")
            _ = try disk.fill()
            let large = [UInt8](repeating: 0x61, count: 9000)

            let title = String(decoding: large, as: UTF8.self)
            let attempts: [() throws -> Void] = [
                { _ = try scene.tasks.add(TaskDraft(title: title), now: 1) },
                { _ = try scene.memories.replace(with: large, ifModified: nil) },
                { _ = try scene.config.replace(with: large, stamp: "20260101-000000") },
            ]
            for attempt in attempts {
                let error = #expect(throws: WorkspaceError.self) { try attempt() }
                #expect("\(String(describing: error))".contains("No space left on device"))
            }
            #expect(scene.text(WorkspaceScene.tasksName) == "{\"old\":1}\n")
            #expect(scene.text(WorkspaceScene.memoriesName) == "old")
            #expect(scene.text("main/ralph.yml") == "old: 1\n")
            #expect(try scene.root.names(in: "main").sorted() == [".ralph", "ralph.yml"])
        }
    }
}
