import Foundation
import NIOCore
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
                try slow.take(1)
                #expect(slow.unread.isEmpty)
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
    private static func withLister(
        _ arrange: (TemporaryDirectory) throws -> Void = { _ in },
        _ body: (inout LibraryLister) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            try LibraryScene.write(to: directory)
            try arrange(directory)
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

    /// Files of a few kilobytes whose hats and skills have a thousand times as much to say.
    private static func writeAliases(to directory: TemporaryDirectory) throws {
        let word = String(repeating: "x", count: LibraryLimits.textBytes)
        let words = Array(repeating: "*w", count: LibraryLimits.members).joined(separator: ",")
        let head = "w: &w \"\(word)\"\nl: &l [\(words)]\n"
        for file in 1...2 {
            let hats = (1...15).map { "  h\(file)-\($0): {triggers: *l, publishes: *l}\n" }.joined()
            try directory.write("base/presets/aliases\(file).yml", head + "hats:\n" + hats)
        }
        for file in 1...12 {
            let matter = "---\n\(head)tags: *l\nhats: *l\nbackends: *l\n---\nx"
            try directory.write(".ralph/skills/aliases\(file).md", matter)
        }
    }

    /// Whether words fill a list for the most part, and no more than that.
    private static func fills(_ words: [String]) -> Bool {
        let most = LibraryLimits.textBytesPerList
        return (most / 2...most).contains(words.reduce(0) { $0 + $1.utf8.count })
    }

    @Test func `hats and skills that aliases make large are cut to what a list holds`() async throws {
        try await Self.withLister(Self.writeAliases) { lister in
            let hats = lister.hats()
            let skills = lister.skills()

            #expect(hats.truncated == true && hats.found ?? 0 > 1)
            #expect(Self.fills(hats.hats.flatMap { $0.triggers + $0.publishes }))
            let objects = skills.items.map(\.object)
            #expect(skills.isTruncated && skills.count > 1)
            #expect(Self.fills(objects.flatMap { $0.tags + $0.hats + $0.backends }))
            #expect(objects.contains { $0.name == "ralph-tools" })
        }
    }

    @Test func `what is kept of a file counts the words of what it changes in skills`() {
        let word = String(repeating: "x", count: LibraryLimits.textBytes)
        let words = Array(repeating: "*w", count: LibraryLimits.members).joined(separator: ",")
        let changes = (1...10).map { "s\($0): {hats: *l, backends: *l, tags: *l}" }.joined(separator: ",")
        let text = "w: &w \"\(word)\"\nl: &l [\(words)]\nskills: {overrides: {\(changes)}}\n"

        let facts = ConfigFacts(Array(text.utf8))

        #expect(facts.error == nil && facts.skills.overrides.count == 10)
        #expect(facts.cost > 30 * LibraryLimits.members * LibraryLimits.textBytes)
    }

    @Test func `skills of more workspaces than are looked into are missing, and said to be`() async throws {
        try await Self.withLister { lister in
            lister.workspaces = (0...LibraryLimits.workspaces).map { "/nowhere/\($0)" }
            #expect(lister.skills().isTruncated)
        }
    }

    @Test func `what names the same hats over and over is cut, and each of it is named once`() async throws {
        try await withTemporaryDirectory { directory in
            let place = LibraryScene.places(directory).workspace(directory.path + "/base")
            let hats = (1...LibraryLimits.members).map { "  h\($0): {triggers: [x]}\n" }.joined()
            let facts = ConfigFacts(Array("hats:\n\(hats)".utf8))
            var rack = HatRack()
            // The first of them twice, and not one behind the other.
            for number in Array(100..<120) + Array(100..<300) {
                let name = String(repeating: "p", count: 200) + String(number)
                let path = "presets/\(name).yml"
                let file = try directory.write("base/" + path, "")
                let found = LibraryFile(.init(name: name, path: path, file: file, place: place))
                let item = try #require(found)
                rack.add(preset: item, facts, over: [])
            }

            let named = rack.hats.map { $0.presets + $0.shadows }
            #expect(rack.isCut && rack.hats.count == LibraryLimits.members)
            #expect(Self.fills(named.flatMap { $0 }))
            #expect(named.allSatisfy { Set($0).count == $0.count })
        }
    }

    @Test func `lists are kept as far as their bytes together have a bound`() {
        var state = Library.State()
        let keys = [LibraryList.configs, .prompts, .skills].map { Library.Key(list: $0, scope: .everything) }
        let keep = { (state: inout Library.State, key: Library.Key, percent: Int, skills: [SkillItem]) in
            let bytes = LibraryLimits.cachedListBytes / 100 * percent
            let list = Library.Made(
                generation: 0, placesVersion: 0, at: .now, renewedAt: nil,
                body: ByteBuffer(repeating: 0, count: bytes), skills: skills)
            state.keep(list, as: key)
        }

        keep(&state, keys[0], 60, [])
        keep(&state, keys[0], 60, [])
        keep(&state, keys[1], 40, [])
        #expect(state.made.count == 2)
        // The others may be asked for by nobody any more.
        keep(&state, keys[2], 10, BuiltInSkills.all)
        #expect(Array(state.made.keys) == [keys[2]])
        keep(&state, keys[2], 60, BuiltInSkills.all)
        #expect(state.made.isEmpty)
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
