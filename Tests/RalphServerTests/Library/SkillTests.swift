import Foundation
import RalphTestSupport
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct SkillTests {
    private static func arrange(_ directory: TemporaryDirectory) throws {
        try directory.write(
            "base/ralph.yml",
            """
            skills:
              dirs: [my-skills, "\(directory.path)/outside", ../outside, missing]
              overrides:
                named: {auto_inject: true, tags: [own]}
                plain: {enabled: false}
            """)
        try directory.write(
            "base/my-skills/folder/SKILL.md",
            "---\r\nname: named\r\ndescription: Does it\r\ntags: [a, b]\r\nhats: builder\r\n---\r\nBody\r\n")
        try directory.write("base/my-skills/plain.md", "No front matter\n")
        try directory.write("base/my-skills/broken.md", "---\ntags: [\n---\n\nkept\n")
        try directory.write("base/my-skills/ralph-tools.md", "Ours\n")
        try directory.write("base/my-skills/slash.md", "---\nname: ../a/b\n---\nx")
        try directory.write("base/my-skills/latin.md", bytes: [0xE9])
        try directory.write(".ralph/skills/plain.md", "The user's\n")
        try directory.write("shipped/skills/cut/SKILL.md", "---\ndescription: Shipped\n---\ntext")
    }

    @Test func `skills come by name, each once, with what the configuration says of them`() async throws {
        try await withLibrary(Self.arrange) { server in
            let list = try await server.get("/api/skills").object()
            let skills = list["skills"] as? [[String: Any]] ?? []
            #expect(
                skills.map { $0["name"] as? String } == [
                    "broken", "cut", "latin", "named", "plain", "ralph-tools", "ralph-tools-memories",
                    "ralph-tools-tasks", "robot-interaction", "slash",
                ])
            #expect(list["count"] as? Int == 10)
            let named = try await server.get("/api/skills/named").object()
            #expect(named["description"] as? String == "Does it")
            #expect(named["tags"] as? [String] == ["own"])
            #expect(named["hats"] as? [String] == ["builder"])
            #expect(named["backends"] as? [String] == [])
            #expect(named["auto_inject"] as? Bool == true)
            #expect(named["source"] as? String == "file" && named["origin"] as? String == "workspace")
            #expect(named["path"] as? String == "my-skills/folder/SKILL.md")
            #expect(skills[4]["enabled"] as? Bool == false)
            #expect(skills[4]["shadows"] as? [String] == [server.root.path + "/.ralph/skills/plain.md"])
            #expect(skills[5]["shadows"] as? [String] == ["built-in"])
            #expect(skills[6]["source"] as? String == "built-in")
            #expect(skills.compactMap { $0["error"] as? String }.count == 2)
        }
    }

    @Test(arguments: [
        ("named", "<named-skill>\nBody\r\n\n</named-skill>"),
        ("plain", "<plain-skill>\nNo front matter\n\n</plain-skill>"),
        ("broken", "<broken-skill>\n\nkept\n\n</broken-skill>"),
        ("ralph-tools", "<ralph-tools-skill>\nOurs\n\n</ralph-tools-skill>"),
        ("cut", "<cut-skill>\ntext\n</cut-skill>"),
    ])
    func `a skill is loaded without its front matter, by GET and by POST without a body`(
        _ name: String, _ content: String
    ) async throws {
        try await withLibrary(Self.arrange) { server in
            for response in [
                try await server.get("/api/skills/\(name)/load"),
                try await server.post("/api/skills/\(name)/load"),
                try await server.post("/api/skills/\(name)/load", "not json"),
                try await server.post("/api/skills/\(name)/load", headers: ["Idempotency-Key": name]),
            ] {
                #expect(response.status == 200)
                #expect(try response.object()["name"] as? String == name)
                #expect(try response.object()["content"] as? String == content)
            }
        }
    }

    @Test func `null says nothing, in front matter as in what the configuration changes`() async throws {
        let matter = "---\nname: ~\ndescription: null\ntags: NULL\nhats:\nbackends: [claude, ~]\n---\nx"
        try await withLibrary(
            { directory in
                try directory.write(
                    "base/ralph.yml",
                    "skills: {dirs: [sk], overrides: {a: {hats: ~, enabled: false}, b: {tags: ~}}}")
                try directory.write("base/sk/a.md", matter)
                try directory.write("base/sk/b.md", "---\nname: \"null\"\ntags: [x]\n---\nx")
                try directory.write("base/sk/b/SKILL.md", "---\ntags: [x]\n---\nx")
                try directory.write("base/sk/c.md", "---\n~\n---\nx")
            },
            { server in
                let skills = try await server.items("skills").filter {
                    $0["origin"] as? String == "workspace"
                }
                #expect(skills.map { $0["name"] as? String } == ["a", "b", "c", "null"])
                #expect(skills[0]["description"] as? String == "" && skills[0]["enabled"] as? Bool == false)
                #expect(skills[0]["tags"] as? [String] == [] && skills[0]["hats"] as? [String] == [])
                #expect(skills[0]["backends"] as? [String] == ["claude"])
                #expect(skills[1]["tags"] as? [String] == ["x"])
                #expect(skills[2]["error"] == nil)
            })
    }

    @Test(arguments: ["base/ralph.yml", ".ralph/config.yml"])
    func `where a configuration switches skills off, all of them are`(_ file: String) async throws {
        try await withLibrary(
            {
                try Self.arrange($0)
                try $0.write("base/ralph.yml", "event_loop: {}\n")
                try $0.write(
                    file, "skills: {enabled: false, dirs: [my-skills], overrides: {named: {enabled: true}}}")
            },
            { server in
                let skills = try await server.items("skills")
                #expect(skills.contains { $0["name"] as? String == "named" })
                #expect(skills.count == 10 && skills.allSatisfy { $0["enabled"] as? Bool == false })
            })
    }

    @Test func `the user's configuration lies below the workspace's`() async throws {
        try await withLibrary(
            {
                try $0.write(
                    ".ralph/config.yml",
                    """
                    skills:
                      dirs: [sk]
                      overrides:
                        ralph-tools: {auto_inject: true, tags: [home]}
                        robot-interaction: {enabled: false}
                    """)
                try $0.write("base/ralph.yml", "skills: {overrides: {ralph-tools: {tags: [own]}}}")
                try $0.write("base/sk/root.md", "x")
                try $0.write("base/ws/ralph.yml", "skills: {dirs: [other]}")
                try $0.write("base/ws/sk/hidden.md", "x")
                try $0.write("base/ws/other/shown.md", "x")
            },
            { server in
                _ = try await server.waitForSession("ws", events: 1)
                let names = try await server.members("skills", "name")
                #expect(names.contains("root") && names.contains("shown") && !names.contains("hidden"))
                let tools = try await server.get("/api/skills/ralph-tools").object()
                #expect(tools["auto_inject"] as? Bool == true && tools["tags"] as? [String] == ["own"])
                // A workspace without a configuration goes by the user's alone, not by the root's.
                try server.root.write("base/plain/.ralph/x", "")
                let alone = try await server.get("/api/skills/ralph-tools?workspace=plain").object()
                #expect(alone["auto_inject"] as? Bool == true && alone["tags"] as? [String] == ["home"])
                let robot = try await server.get("/api/skills/robot-interaction").object()
                #expect(robot["enabled"] as? Bool == false)
                // It is seen when it becomes another one.
                try server.root.write(".ralph/config.yml", "skills: {}")
                #expect(try await !server.members("skills", "name").contains("root"))
            })
    }

    @Test func `a directory that is named more than once hides nothing of itself`() async throws {
        try await withLibrary(
            { directory in
                let config = #"skills: {dirs: [sk, "sk/", "./sk", "\#(directory.path)/base/sk"]}"#
                for path in ["base/ralph.yml", "base/ws/ralph.yml"] { try directory.write(path, config) }
                try directory.write("base/sk/deploy.md", "---\nname: deploy\n---\nx")
                try directory.write(".ralph/skills/deploy.md", "---\nname: deploy\n---\nother")
            },
            { server in
                _ = try await server.waitForSession("ws", events: 1)
                let skill = try await server.get("/api/skills/deploy").object()
                #expect(skill["path"] as? String == "sk/deploy.md")
                #expect(
                    skill["shadows"] as? [String] == [server.root.path + "/.ralph/skills/deploy.md"])
            })
    }

    @Test func `of several directories of one configuration the last has a name`() async throws {
        try await withLibrary(
            {
                try $0.write("base/ralph.yml", "skills: {dirs: [shared, own]}")
                try $0.write("base/shared/deploy.md", "shared")
                try $0.write("base/own/deploy.md", "own")
            },
            { server in
                let skill = try await server.get("/api/skills/deploy").object()
                #expect(skill["path"] as? String == "own/deploy.md")
                #expect(skill["shadows"] as? [String] == [server.root.path + "/base/shared/deploy.md"])
            })
    }

    @Test func `a skill whose folder is a link is one, unless the link leads out of the root`() async throws {
        try await withLibrary(
            {
                try $0.write("base/ralph.yml", "skills: {dirs: [sk]}")
                try $0.write("base/shared/deploy-1.2/SKILL.md", "inside")
                try $0.write("outside/leak/SKILL.md", "outside")
                try $0.write("base/sk/notes.txt", "none")
                for (name, target) in [("deploy", "../shared/deploy-1.2"), ("leak", "../../outside/leak")] {
                    try FileManager.default.createSymbolicLink(
                        atPath: $0.path + "/base/sk/" + name, withDestinationPath: target)
                }
            },
            { server in
                let names = try await server.members("skills", "name")
                #expect(names.contains("deploy") && !names.contains("leak") && !names.contains("notes"))
                let loaded = try await server.get("/api/skills/deploy/load").object()
                #expect(loaded["content"] as? String == "<deploy-skill>\ninside\n</deploy-skill>")
                #expect(try await server.get("/api/skills/leak").status == 404)
            })
    }

    @Test func `of the user's directories a configuration shows what lies in their skills alone`()
        async throws
    {
        try await withLibrary(
            { directory in
                let user = directory.path + "/.ralph"
                let places = [user, user + "/notes", "../.ralph/notes", "../shipped", user + "/skills/more"]
                let list = places.map { "\"\($0)\"" }.joined(separator: ", ")
                try directory.write("base/ralph.yml", "skills: {dirs: [\(list)]}")
                try directory.write(".ralph/top.md", "private")
                try directory.write(".ralph/notes/diary.md", "private")
                try directory.write(".ralph/skills/more/deploy.md", "shown")
                try directory.write("shipped/loose.md", "none")
            },
            { server in
                let names = try await server.members("skills", "name")
                #expect(names.contains("deploy"))
                #expect(Set(names).isDisjoint(with: ["top", "diary", "loose"]))
                #expect(try await server.get("/api/skills/diary/load").status == 404)
            })
    }

    @Test func `a folder of skills that is a link may be named`() async throws {
        try await withLibrary(
            { directory in
                try directory.write(
                    "base/ralph.yml", "skills: {dirs: [\"\(directory.path)/.ralph/skills/more\"]}")
                try directory.write(".ralph/mine/more/deploy.md", "shown")
                try FileManager.default.createSymbolicLink(
                    atPath: directory.path + "/.ralph/skills", withDestinationPath: "mine")
            },
            { server in
                let names = try await server.members("skills", "name")
                #expect(names.contains("deploy"))
            })
    }

    @Test func `an empty list changes nothing in a skill`() async throws {
        try await withLibrary(
            {
                try $0.write(
                    "base/ralph.yml",
                    "skills: {dirs: [sk], overrides: {a: {hats: [], backends: [], tags: []}}}")
                try $0.write(".ralph/config.yml", "skills: {overrides: {a: {hats: [user]}}}")
                try $0.write("base/sk/a.md", "---\nhats: [h]\nbackends: [b]\ntags: [t]\n---\nx")
            },
            { server in
                let skill = try await server.get("/api/skills/a").object()
                #expect(skill["hats"] as? [String] == ["h"] && skill["backends"] as? [String] == ["b"])
                #expect(skill["tags"] as? [String] == ["t"])
            })
    }

    @Test func `Ralph's own skills have a text`() async throws {
        try await withServer { server in
            for name in try await server.members("skills", "name") {
                let content = try await server.get("/api/skills/\(name)/load").object()["content"] as? String
                #expect(content?.hasPrefix("<\(name)-skill>\n# ") == true)
                #expect(content?.hasSuffix("\n</\(name)-skill>") == true)
            }
        }
    }

    @Test(arguments: [
        "nope", "..", "%2e%2e", "..%2f..%2foutside%2fsecret", "%2fetc%2fpasswd", "a%5cb", "%00", "%ff", "%zz",
        "my-skills%2fplain.md", "plain.md", "secret", "latin-1", "%252e%252e", "ralph-tools%00",
    ])
    func `a skill that is not in the list is a 404`(_ name: String) async throws {
        try await withLibrary(Self.arrange) { server in
            let shown = name.contains("%00") || name == "%ff" || name == "%zz"
            for response in [
                try await server.get("/api/skills/\(name)"), try await server.get("/api/skills/\(name)/load"),
                try await server.post("/api/skills/\(name)/load"),
            ] {
                #expect(response.status == 404)
                let error = try response.object()["error"] as? String
                #expect(
                    error == "Skill '\(shown ? name : name.removingPercentEncoding ?? name)' not found")
            }
        }
    }

    @Test func `a skill that cannot be shown says why`() async throws {
        try await withLibrary(
            {
                try Self.arrange($0)
                try $0.write("base/my-skills/long.md", String(repeating: "x", count: 1 << 20) + "y")
            },
            { server in
                #expect(try await server.get("/api/skills/latin/load").status == 404)
                let error = try await server.error("/api/skills/long/load", status: 413)
                #expect(error == "content_too_large: long")
                let long = try await server.get("/api/skills/long").object()
                #expect(long["error"] as? String == "more than 1048576 bytes are not shown")
            })
    }
}
