import Testing

@Suite struct ShippedSkillTests {
    private static let good =
        "---\nname: a\ndescription: d\nhats: [builder]\nbackends: []\ntags: [t]\n---\n\n# A\n\nDo it.\n"

    @Test func `a complete skill is accepted`() {
        let skill = ShippedSkill(Self.good)

        #expect(skill.findings == [])
        #expect(skill.name == "a" && skill.hats == ["builder"])
    }

    @Test(arguments: [
        ("name: a\n", "", "lacks name"), ("description: d", "description: ", "description: must be a text"),
        ("hats: [builder]", "hats: builder", "hats: must be a list"),
        ("backends: []", "backends: [clod]", nil),
        ("tags: [t]", "tags: [t]\nauto_inject: true", "auto_inject: is not known"),
        ("# A\n\nDo it.\n", "", "has no text"), ("---\nname", "name", "lacks front matter"),
        ("name: a", "name: [", "front matter is no YAML"),
    ])
    func `a broken skill is refused`(_ part: String, _ replacement: String, _ finding: String?) {
        let findings = ShippedSkill(Self.good.replacing(part, with: replacement)).findings

        #expect(findings.count == 1)
        if let finding { #expect(findings.first?.hasSuffix(finding) == true) }
    }
}
