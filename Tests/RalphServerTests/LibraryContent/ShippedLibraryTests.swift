import Foundation
import Testing
import Yams

/// Every file of `library/`, against the rules that a user's run depends on.
@Suite(.timeLimit(.minutes(1))) struct ShippedLibraryTests {
    /// What a list shows of a prompt before it cuts (http-contract 5).
    private static let previewBytes = 47
    /// The hats that lists have a sign for (http-contract 5).
    private static let signed: Set = [
        "builder", "reviewer", "investigator", "tester", "fixer", "verifier", "planner", "architect",
        "deployer",
        "analyst", "researcher", "writer", "designer", "security", "coordinator",
    ]
    /// What a list of configurations has room for.
    private static let titleCharacters = 110

    @Test(arguments: [
        (ShippedFile.Shelf.configs, 4), (.presets, 8), (.prompts, 10), (.skills, 6), (.hats, 9),
    ])
    func `there is enough to choose from, and no name occurs twice`(
        _ shelf: ShippedFile.Shelf, _ minimum: Int
    ) {
        let files = ShippedFile.all(shelf)

        #expect(files.count >= minimum)
        #expect(Set(files.map(\.stem)).count == files.count)
    }

    @Test func `a preset and a config are told apart by their names`() {
        let configs = Set(ShippedFile.all(.configs).map(\.stem))

        #expect(configs.isDisjoint(with: ShippedFile.all(.presets).map(\.stem)))
    }

    @Test(arguments: ShippedFile.everything)
    func `a file is plain UTF-8 text with whole lines`(_ file: ShippedFile) throws {
        let text = try file.text()

        #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n") && !text.hasPrefix("\u{FEFF}"))
        let isPlain = text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 }
        #expect(isPlain, "a tab, a carriage return or another control character")
        let ragged = text.split(separator: "\n").filter { $0.hasSuffix(" ") }
        #expect(ragged.isEmpty)
    }

    @Test(arguments: ShippedFile.all(.configs) + ShippedFile.all(.presets) + ShippedFile.all(.hats))
    func `the first line of a YAML file says what it is`(_ file: ShippedFile) throws {
        #expect(try file.text().hasPrefix("# "))
        let title = try file.title()
        #expect(title.count > 20 && title.count <= Self.titleCharacters)
    }

    @Test(arguments: ShippedFile.all(.configs))
    func `a config has the shape and keeps the rules of ralph's configuration`(_ file: ShippedFile) throws {
        let root = try file.tree()

        #expect(ConfigShape.configuration.check(root, at: "") == [])
        #expect(ConfigRules.check(root) == [])
        #expect(root["hats"] == nil, "configs say how to work, presets who works")
        #expect(root["cli"]?["backend"] == nil, "the user's own backend counts")
    }

    @Test(arguments: ShippedFile.all(.presets))
    func `a preset has the shape of one, and its events lead from start to completion`(_ file: ShippedFile)
        throws
    {
        let root = try file.tree()

        #expect(ConfigShape.preset.check(root, at: "") == [])
        #expect(ConfigRules.check(root) == [])
        #expect(PresetGraph(root).check() == [])
    }

    @Test(arguments: ShippedFile.all(.hats))
    func `a hat file has one hat, named like the file, that ralph can begin with`(_ file: ShippedFile) throws
    {
        let root = try file.tree()

        #expect(ConfigShape.hats.check(root, at: "") == [])
        let hat = try #require(PresetGraph(root).hats.first)
        #expect(root["hats"]?.mapping?.count == 1)
        #expect(hat.id == file.stem)
        #expect(hat.triggers.contains { $0.hasSuffix(".start") })
    }

    @Test(arguments: ShippedFile.all(.hats) + ShippedFile.all(.presets))
    func `a list has a sign for every hat`(_ file: ShippedFile) throws {
        let unknown = PresetGraph(try file.tree()).hats.map(\.id).filter { !Self.signed.contains($0) }

        #expect(unknown == [])
    }

    @Test func `the hats fit together`() throws {
        let roots = try ShippedFile.all(.hats).map { try $0.tree() }

        #expect(PresetGraph(family: roots).check() == [])
    }

    @Test(arguments: ShippedFile.all(.prompts))
    func `a prompt has a short title, an end that can be checked, and works as it is`(_ file: ShippedFile)
        throws
    {
        let text = try file.text()
        let first = text.split(separator: "\n").first ?? ""

        #expect(first.hasPrefix("# ") && first.utf8.count <= Self.previewBytes)
        #expect(text.contains("## Done when\n") && text.contains("## Never\n"))
        #expect(text.utf8.count > 500)
        #expect(!text.contains("<") && !text.contains("TODO"), "a place that a person has to fill in")
        #expect(text.contains("stands here"), "what is done if nobody fills in the brackets")
    }

    @Test(arguments: ShippedFile.all(.skills))
    func `a skill is complete, named like its folder, and meant for hats that exist`(_ file: ShippedFile)
        throws
    {
        let skill = ShippedSkill(try file.text())

        #expect(file.name.hasSuffix("/SKILL.md"))
        #expect(skill.findings == [])
        #expect(skill.name == file.stem)
        #expect(Set(skill.hats).isSubset(of: ShippedFile.all(.hats).map(\.stem)))
        #expect(!skill.hats.isEmpty)
    }
}
