import Foundation
import RalphTestSupport
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(2)))
struct LibraryScaleTests {
    @Test func `20 000 prompts are cut to what a list holds, and are quick the second time`() async throws {
        try await withTemporaryDirectory(below: "/dev/shm") { directory in
            try Self.fill(directory, 20_000)
            try await withServer(in: directory) { server in
                let clock = ContinuousClock()
                let slow = try server.probe()
                try await slow.request("/api/prompts")
                // Others are answered meanwhile.
                #expect(try await server.get("/health").status == 200)
                #expect(try await server.get("/api/prompts/prompts/p00007.md").status == 200)
                let first = try await slow.response(within: .seconds(60))
                let list = try first.object()
                #expect((list["prompts"] as? [Any])?.count == LibraryLimits.items)
                #expect(list["truncated"] as? Bool == true)
                #expect(list["found"] as? Int == 20_000)

                try await eventually(within: .seconds(20), "an answer from memory") {
                    var second: HTTPProbe.Response?
                    let time = try await clock.measure { second = try await server.get("/api/prompts") }
                    return time < .milliseconds(300) && second?.body == first.body
                }
            }
        }
    }

    /// Runs `body` with a lister of the scene's files, whose shipped hats are one.
    private static func withLister(_ body: (inout LibraryLister) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            try LibraryScene.write(to: directory)
            try directory.write("shipped/hats/one.yml", "hats: {one: {name: One}}\n")
            var lister = LibraryLister(
                scope: .everything, workspaces: [],
                finder: LibraryFinder(places: LibraryScene.places(directory)) { _, _, _ in },
                facts: FactsReader(cache: FactsCache()))
            try body(&lister)
        }
    }

    @Test func `a search counts what it found and not what the one before it did`() async throws {
        try await Self.withLister { lister in
            let presets = lister.finder.find(.configs, .everything, workspaces: [])
            let hats = lister.finder.find(.hats, .everything, workspaces: [])

            #expect(presets.count > 1)
            #expect(hats.count == 1)
        }
    }

    @Test func `skills of directories that are not looked into are missing, and said to be`() async throws {
        try await Self.withLister { lister in
            #expect(!lister.skills().isTruncated)
            let place = try #require(lister.finder.places.chain(nil).first)
            for _ in 0..<LibraryLimits.directories { _ = lister.finder.names(in: place.directory, of: place) }

            #expect(lister.skills().isTruncated)
        }
    }

    private static func fill(_ directory: TemporaryDirectory, _ count: Int) throws {
        try directory.write("prompts/a.md", "a")
        for number in 1..<count {
            let name = String(repeating: "0", count: 5 - String(number).count) + String(number)
            let file = open(directory.path + "/prompts/p\(name).md", O_WRONLY | O_CREAT, 0o644)
            #expect(file >= 0)
            _ = write(file, "Prompt \(name)", 12)
            close(file)
        }
    }

    @Test func `more folders than are looked into are cut, and said to be`() async throws {
        try await withServer { server in
            let deep = Array(repeating: "d", count: LibraryLimits.depth + 2).joined(separator: "/")
            try server.root.write("prompts/\(deep)/x.md", "x")
            try server.root.write("prompts/y.md", "y")
            let list = try await server.get("/api/prompts").object()
            #expect(list["truncated"] as? Bool == true)
            #expect(try await server.members("prompts", "path") == ["prompts/y.md"])
        }
    }
}
