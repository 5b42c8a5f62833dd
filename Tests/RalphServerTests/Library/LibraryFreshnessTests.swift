import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct LibraryFreshnessTests {
    @Test func `each change on disk is in the very next answer`() async throws {
        try await withLibrary { server in
            let base = try await server.members("presets", "name")
            for number in 1...20 {
                try server.root.write("base/presets/new.yml", "# version \(number)\n")
                let item = try await server.items("presets").first { $0["name"] as? String == "new" }
                #expect(item?["description"] as? String == "version \(number)")
            }
            try server.root.remove("base/presets/new.yml")
            #expect(try await server.members("presets", "name") == base)
            try server.root.remove("base/presets")
            #expect(try await !server.members("presets", "name").contains("mine"))
            try server.root.write("base/presets/again.yml", "")
            #expect(try await server.members("presets", "name").contains("again"))
        }
    }

    @Test func `places that were not there are seen when they come`() async throws {
        try await withServer { server in
            for list in ["configs", "prompts", "hats"] { #expect(try await server.items(list).isEmpty) }
            for (file, list) in [
                ("ralph.yml", "configs"), ("prompts/a/b/c.md", "prompts"), ("PROMPT.md", "prompts"),
                (".config/ralph-mobile-server/library/presets/u.yml", "configs"),
                (".ralph/presets/p.yml", "configs"), (".ralph/hats/h.yml", "hats"),
                (".ralph/skills/s/SKILL.md", "skills"),
            ] {
                let before = try await server.items(list).count
                try server.root.write(file, "")
                #expect(try await server.items(list).count == before + 1, "\(file)")
            }
        }
    }

    @Test func `a folder that is exchanged is seen, though its watch followed the old one`() async throws {
        try await withLibrary { server in
            let path = server.root.path + "/base/presets"
            _ = try await server.items("configs")
            try FileManager.default.moveItem(atPath: path, toPath: path + "-old")
            try server.root.write("base/presets/fresh.yml", "# one")
            #expect(try await server.members("configs", "name").contains("fresh"))
            try server.root.write("base/presets/fresh.yml", "# two")
            #expect(try await server.members("configs", "description").contains("two"))
        }
    }

    @Test func `without inotify a change is seen within its second`() async throws {
        try await withTemporaryDirectory { directory in
            // A link's target lies in a directory that nobody watches.
            try directory.write("kept/x.yml", "# one")
            try directory.write("presets/y.yml", "")
            try FileManager.default.createSymbolicLink(
                atPath: directory.path + "/presets/x.yml", withDestinationPath: "../kept/x.yml")
            let places = LibraryPlaces(
                roots: [directory.path], home: directory.path, configHome: directory.path, libraries: [])
            let library = Library(
                places: places, catalogue: SessionCatalogue(), threads: FileThreads(most: 4))
            library.start()
            let first = try await library.body(.configs)

            try directory.write("kept/x.yml", "# two")
            try await eventually(within: .seconds(5)) {
                try await library.body(.configs) != first
            }
            library.stop()
        }
    }

    @Test func `whoever only asks whether a list is ready keeps nobody from making it again`() async throws {
        try await withTemporaryDirectory { directory in
            try LibraryScene.write(to: directory)
            let library = Library(
                places: LibraryScene.places(directory), catalogue: SessionCatalogue(),
                threads: FileThreads(most: 4))
            library.start()
            _ = try await library.body(.configs)

            try await eventually(within: .seconds(10)) { library.ready(.configs) == nil }
            #expect(library.ready(.configs) == nil)
            _ = try await library.body(.configs)
            #expect(library.ready(.configs) != nil)
            library.stop()
        }
    }

    @Test func `a list is ready until something changes`() async throws {
        try await withTemporaryDirectory { directory in
            try LibraryScene.write(to: directory)
            let library = Library(
                places: LibraryScene.places(directory), catalogue: SessionCatalogue(),
                threads: FileThreads(most: 4))
            library.start()
            #expect(library.ready(.configs) == nil)
            try await eventually(within: .seconds(10)) {
                let body = try await library.body(.configs)
                try directory.append("base/unrelated.txt", "x")
                return library.ready(.configs) == body
            }
            try directory.append("base/presets/mine.yaml", "# more")
            #expect(library.ready(.configs) == nil)
            library.stop()
        }
    }
}
