import Foundation
import RalphTestSupport
import Testing

@testable import RalphControl

@Suite(.timeLimit(.minutes(1)))
struct ConfigFileTests {
    private func backups(_ scene: WorkspaceScene) throws -> [String] {
        try scene.root.names(in: "main").filter { $0.contains(".bak-") }.sorted()
    }

    @Test func `the first import makes ralph.yml and no backup`() async throws {
        try await withWorkspace { scene in
            let done = try scene.config.replace(with: Array("a: 1\r\n# x".utf8), stamp: "20260101-000000")
            #expect(done == ConfigFile.Import(name: "ralph.yml", backup: nil))
            #expect(scene.text("main/ralph.yml") == "a: 1\r\n# x")
            #expect(try scene.config.read()?.name == "ralph.yml")
        }
    }

    @Test func `the old one is kept, several of a second too`() async throws {
        try await withWorkspace { scene in
            for number in 1...3 {
                _ = try scene.config.replace(with: Array("n: \(number)".utf8), stamp: "20260101-000000")
            }
            #expect(
                try backups(scene) == ["ralph.yml.bak-20260101-000000", "ralph.yml.bak-20260101-000000-2"])
            #expect(scene.text("main/ralph.yml.bak-20260101-000000") == "n: 1")
            #expect(scene.text("main/ralph.yml.bak-20260101-000000-2") == "n: 2")
            #expect(scene.text("main/ralph.yml") == "n: 3")
        }
    }

    @Test func `of imports at the same time none is lost`() async throws {
        try await withWorkspace { scene in
            try scene.root.write("main/ralph.yml", "n: 0")
            let config = scene.config
            try await withThrowingTaskGroup { group in
                for number in 1...4 {
                    group.addTask {
                        for step in 0..<2 {
                            let bytes = Array("n: \(number) \(step)".utf8)
                            // Another one goes on.
                            while try config.replace(with: bytes, stamp: "20260101-000000") == nil {
                                sched_yield()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let names = try backups(scene) + ["ralph.yml"]
            #expect(names.count == 9)
            #expect(Set(names.compactMap { scene.text("main/" + $0) }).count == 9, "each has its own")
        }
    }

    @Test func `a number that nobody counts to is none`() async throws {
        try await withWorkspace { scene in
            try scene.root.write("main/ralph.yml", "n: 1")
            try scene.root.write("main/ralph.yml.bak-20260101-000000-\(Int.max)", "")
            let done = try scene.config.replace(with: Array("n: 2".utf8), stamp: "20260101-000000")
            #expect(scene.text("main/" + (done?.backup ?? "")) == "n: 1")
        }
    }

    @Test func `more backups than are kept in one second are the newest ones`() async throws {
        try await withWorkspace { scene in
            var named: [String] = []
            for number in 0...14 {
                let done = try scene.config.replace(
                    with: Array("n: \(number)".utf8), stamp: "20260101-000000")
                named += [done?.backup].compactMap(\.self)
            }
            #expect(try Set(backups(scene)) == Set(named.suffix(ConfigFile.maximumBackups)))
            #expect(scene.text("main/" + (named.last ?? "")) == "n: 13")
        }
    }

    @Test func `the newest backups are kept, and what others called so`() async throws {
        try await withWorkspace { scene in
            for name in ["ralph.yml.bak-mine", "ralph.yml.bak-2026-1", "ralph.yml.bak-20260101-000000-x"] {
                try scene.root.write("main/" + name, "")
            }
            for second in 10...40 {
                _ = try scene.config.replace(
                    with: Array("s: \(second)".utf8), stamp: "20260101-0000\(second)")
            }
            let all = try backups(scene)
            #expect(all.count == ConfigFile.maximumBackups + 3)
            #expect(!all.contains("ralph.yml.bak-20260101-000030"))
            #expect(all.contains("ralph.yml.bak-20260101-000031"))
        }
    }

    @Test func `the backup just made is kept, whatever the names of the others say`() async throws {
        try await withWorkspace { scene in
            try scene.root.write("main/ralph.yml", "old: 1")
            for second in 10..<10 + ConfigFile.maximumBackups {
                try scene.root.write("main/ralph.yml.bak-20990101-0000\(second)", "")
            }
            let done = try scene.config.replace(with: Array("new: 1".utf8), stamp: "20260101-000000")
            #expect(scene.text("main/" + (done?.backup ?? "")) == "old: 1")
            #expect(try backups(scene).count == ConfigFile.maximumBackups)
            #expect(scene.text("main/ralph.yml.bak-20990101-000010") == nil)
        }
    }

    @Test func `beside ralph.yaml, which Ralph does not look for, an import is ralph.yml`() async throws {
        try await withWorkspace { scene in
            let path = try scene.root.write("main/ralph.yaml", "a: 1")
            chmod(path, 0o600)
            let done = try scene.config.replace(with: Array("a: 2".utf8), stamp: "20260101-000000")
            let backup = "ralph.yml.bak-20260101-000000"
            #expect(done == ConfigFile.Import(name: "ralph.yml", backup: backup))
            #expect(scene.text("main/ralph.yml") == "a: 2")
            #expect(scene.text("main/" + backup) == "a: 1")
            #expect(scene.text("main/ralph.yaml") == "a: 1")
            for name in ["ralph.yml", backup] { #expect(try scene.root.mode("main/" + name) == 0o600) }
            #expect(try scene.config.read()?.name == "ralph.yml")
        }
    }

    @Test func `a link in the roots is followed, one out of them refused`() async throws {
        try await withWorkspace { scene in
            try scene.root.write("main/shared/ralph.yml", "a: 1")
            try scene.link("main/ralph.yml", to: "shared/ralph.yml")
            let done = try scene.config.replace(with: Array("a: 2".utf8), stamp: "20260101-000000")
            #expect(done?.backup != nil)
            #expect(scene.isLink("main/ralph.yml"))
            #expect(scene.text("main/shared/ralph.yml") == "a: 2")
            try scene.root.remove("main/ralph.yml")
            try scene.link("main/ralph.yml", to: "../outside/file")
            #expect(throws: WorkspaceError.self) { try scene.config.read() }
            #expect(throws: WorkspaceError.self) { try scene.config.replace(with: [], stamp: "x") }
            #expect(scene.text("outside/file") == "secret")
        }
    }
}
