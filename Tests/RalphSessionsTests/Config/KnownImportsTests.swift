import Foundation
import RalphTestSupport
import Testing

@testable import RalphSessions

@Suite(.timeLimit(.minutes(1))) struct KnownImportsTests {
    @Test func `hats have what they import, and their own members win`() async throws {
        try await withTemporaryDirectory { directory in
            let hat = "name: Imported\ntriggers: [a, b]\npublishes: [z]\n"
            try directory.write("ws/imp/a.yml", hat)
            try directory.write(
                "ws/ralph.yml", "hats: {a: {import: imp/a.yml, triggers: [c]}, b: {name: Bee}}")
            try directory.write("other/imp/a.yml", "name: Other\n")
            try directory.write("other/hats.yml", "hats: {a: {import: ./imp/a.yml}}")
            let own = directory.path + "/ws/ralph.yml"

            let config = try #require(WorkspaceConfig.load(file: own))
            #expect(config.hats.map(\.name) == ["Imported", "Bee"])
            #expect(config.hats[0].triggers == ["c"] && config.hats[0].publishes == ["z"])

            let layers = ConfigurationLayers(files: [own], hats: directory.path + "/other/hats.yml")
            #expect(WorkspaceConfig.load(layers, user: nil)?.hats.map(\.name) == ["Other"])
        }
    }

    @Test(arguments: [
        "../hat.yml", "gone.yml", "leak.yml", "dotenv.yml", "pipe.yml", "folder", "list.yml", "chain.yml",
        "kind.yml",
    ]) func `a hat whose import cannot be read or may not stays as it is`(_ path: String) async throws {
        try await withTemporaryDirectory { directory in
            let hat = "name: Imported\n"
            for name in ["hat.yml", "ws/.config/x.yml", "ws/folder/x.yml", "ws/hat.txt"] {
                try directory.write(name, hat)
            }
            try directory.write("ws/list.yml", "[1]")
            try directory.write("ws/chain.yml", "import: hat.yml\n" + hat)
            #expect(mkfifo(directory.path + "/ws/pipe.yml", 0o644) == 0)
            for (link, target) in [
                ("leak.yml", "../hat.yml"), ("dotenv.yml", ".config/x.yml"), ("kind.yml", "hat.txt"),
            ] {
                try FileManager.default.createSymbolicLink(
                    atPath: directory.path + "/ws/" + link, withDestinationPath: target)
            }
            try directory.write("ws/ralph.yml", "hats: {a: {import: \(path), triggers: [x]}}")

            let config = try #require(WorkspaceConfig.load(file: directory.path + "/ws/ralph.yml"))
            #expect(config.hats.map(\.name) == ["a"] && config.hats[0].triggers == ["x"])
        }
    }

    @Test func `a link to a file of the kind beside the configuration is followed`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("deep/hat.yml", "name: Imported\n")
            try FileManager.default.createSymbolicLink(
                atPath: directory.path + "/link.yml", withDestinationPath: "deep/hat.yml")
            try directory.write("ralph.yml", "hats: {a: {import: link.yml}}")
            let config = WorkspaceConfig.load(file: directory.path + "/ralph.yml")
            #expect(config?.hats.map(\.name) == ["Imported"])
        }
    }

    @Test func `no more is read than one configuration may have`() async throws {
        try await withTemporaryDirectory { directory in
            let filler = "#" + String(repeating: "x", count: HatImport.maximumBytes / 2)
            try directory.write("large.yml", "name: Large\n" + filler)
            try directory.write("small.yml", "name: Small\n")
            let hats = (100...400).map { "  h\($0): {import: small.yml}\n" }.joined()
            try directory.write(
                "ralph.yml", "hats:\n  a: {import: large.yml}\n  b: {import: large.yml}\n" + hats)
            let config = try #require(WorkspaceConfig.load(file: directory.path + "/ralph.yml"))
            #expect(config.hats[0].name == "Large" && config.hats[1].name == "b")
            #expect(config.hats.filter { $0.name == "Small" }.count == 254)
        }
    }
}
