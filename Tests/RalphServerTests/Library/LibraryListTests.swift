import Foundation
import RalphTestSupport
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct LibraryListTests {
    @Test func `nothing is an empty list, and Ralph's own skills`() async throws {
        try await withServer { server in
            #expect(try await server.get("/api/configs").text == #"{"configs":[]}"#)
            #expect(try await server.get("/api/presets").text == #"{"presets":[]}"#)
            #expect(try await server.get("/api/prompts").text == #"{"prompts":[]}"#)
            #expect(try await server.get("/api/hats").text == #"{"hats":[]}"#)
            let skills = try await server.members("skills", "name")
            #expect(
                skills == [
                    "ralph-tools", "ralph-tools-memories", "ralph-tools-tasks", "robot-interaction",
                ])
        }
    }

    @Test func `configurations come by name, from all places, hidden ones named`() async throws {
        try await withLibrary { server in
            _ = try await server.waitForSession("ws", events: 1)
            let items = try await server.items("configs")
            #expect(
                items.map { $0["path"] as? String } == [
                    "presets/both.yml", "ws/presets/both.yml", "configs/everywhere.yml",
                    "presets/mine.yaml", "ws/presets/own.yml", "presets/personal.yml", "presets/plan.yml",
                    "ralph.yml", "ws/ralph.yml", "configs/solo.yml",
                ])
            let both = items[0]
            #expect(both["name"] as? String == "both")
            #expect(both["description"] as? String == "base/presets/both.yml")
            #expect(both["origin"] as? String == "workspace")
            #expect(
                both["shadows"] as? [String]
                    == ["base/presets/both.yaml", ".ralph/presets/both.yml", "shipped/presets/both.yml"].map {
                        server.root.path + "/" + $0
                    })
            #expect(items.last?["origin"] as? String == "shipped")
            #expect(items.last?["shadows"] as? [String] == [server.root.path + "/shipped/presets/solo.yml"])
            #expect(items[5]["origin"] as? String == "user")
            #expect(try await server.members("presets", "path") == server.members("configs", "path"))
        }
    }

    @Test func `a workspace or a session narrows the lists to what a start there finds`() async throws {
        try await withLibrary { server in
            let id = try await server.waitForSession("ws", events: 1)
            try server.root.write("base/other/presets/elsewhere.yml", "")
            for query in ["?workspace=ws", "?workspace=\(server.root.path)/base/ws", "?session=\(id)"] {
                let paths = try await server.members("configs", "path", query)
                #expect(paths.first == "ws/presets/both.yml")
                #expect(paths.contains("ws/ralph.yml") && !paths.contains("ralph.yml"))
                #expect(!paths.contains("other/presets/elsewhere.yml"))
            }
            let error = try await server.error("/api/prompts?workspace=..", status: 404)
            #expect(error == "workspace_not_found: ..")
            #expect(try await server.error("/api/hats?session=zzz", status: 404) == "session_not_found")
            let both = try await server.members("configs", "path", "?session=\(id)&workspace=nowhere")
            #expect(both.first == "ws/presets/both.yml")
        }
    }

    @Test func `a hidden directory is no workspace`() async throws {
        try await withLibrary { server in
            for folder in [".config/gh", ".claude", "ws/.config", "ws/.ralph/.x"] {
                try server.root.write("base/\(folder)/hosts.yml", "token: x\n")
                for kind in ["configs", "prompts"] {
                    for path in ["", "/hosts.yml"] {
                        let target = "/api/\(kind)\(path)?workspace=\(folder)"
                        let error = try await server.error(target, status: 404)
                        #expect(error.hasPrefix("workspace_not_found"), "\(target)")
                    }
                }
            }
            try FileManager.default.createSymbolicLink(
                atPath: server.root.path + "/base/open",
                withDestinationPath: server.root.path + "/base/.config/gh")
            let error = try await server.error("/api/configs/hosts.yml?workspace=open", status: 404)
            #expect(error.hasPrefix("workspace_not_found"))
            // Where Ralph works is a workspace, whatever it is called.
            try server.root.write("base/.dotfiles/.ralph/x", "")
            try server.root.write("base/.dotfiles/own.yml", "a: 1\n")
            #expect(try await server.get("/api/configs/own.yml?workspace=.dotfiles").status == 200)
        }
    }

    @Test func `what no request can name is not listed`() async throws {
        try await withLibrary(
            { directory in
                for folder in ["presets", #"w\s/presets"#] {
                    try directory.write("base/\(folder)/back\\s.yml", "# x\na: 1\n")
                    try directory.write("base/\(folder)/plain.yml", "# x\na: 1\n")
                }
                try directory.write(#"base/prompts/back\s.md"#, "x\n")
                try directory.write(#"base/prompts/d\r/deep.md"#, "x\n")
            },
            { server in
                for query in ["", "?workspace=w%5Cs"] {
                    for list in ["configs", "presets", "prompts"] {
                        let paths = try await server.members(list, "path", query)
                        #expect(paths.count > 1)
                        #expect(!paths.contains { $0.contains("\\") }, "\(list)\(query)")
                    }
                }
                #expect(try await server.members("configs", "path").contains("presets/plain.yml"))
            })
    }

    @Test func `prompts come by path with their first words`() async throws {
        try await withLibrary(
            {
                try $0.write("base/prompts/long.md", "\u{FEFF}\r\n\r\n" + String(repeating: "ä", count: 30))
                try $0.write("base/prompts/fits.md", String(repeating: "ä", count: 25))
                try $0.write("base/prompts/empty.md", "")
                try $0.write("base/prompts/.hidden/x.md", "no")
            },
            { server in
                _ = try await server.waitForSession("ws", events: 1)
                let items = try await server.items("prompts")
                #expect(
                    items.map { $0["path"] as? String } == [
                        "PROMPT.md", "prompts/deep/er/fix.md", "prompts/empty.md", "prompts/fits.md",
                        "prompts/fix.md", "prompts/long.md", "prompts/personal.md", "prompts/ship/it.md",
                        "ws/prompts/fix.md",
                    ])
                let previews = try await server.members("prompts", "preview")
                #expect(previews[0] == "# base/PROMPT.md")
                #expect(previews[2] == "")
                #expect(previews[3] == String(repeating: "ä", count: 25))
                #expect(previews[5] == String(repeating: "ä", count: 23) + "...")
                #expect(items[1]["name"] as? String == "deep/er/fix")
            })
    }

    @Test func `a broken file is listed with what is wrong, and hides nothing else`() async throws {
        try await withLibrary(
            {
                try $0.write("base/presets/broken.yml", "# Broken\nhats: [\n")
                try $0.write("base/presets/latin.yml", bytes: Array("# caf".utf8) + [0xE9, 0x0A])
                try $0.write("base/presets/list.yml", "# List\r\n- a\r\n")
                try $0.write("base/presets/twice.yml", "\u{FEFF}# Twice\na: 1\na: 2\n")
                try $0.write("base/.ralph/hats/broken.yml", "{")
                try $0.write("base/prompts/nul.md", "# A\u{0}b\n")
            },
            { server in
                let items = try await server.items("configs")
                let errors = items.reduce(into: [String: String]()) {
                    $0[$1["name"] as? String ?? ""] = $1["error"] as? String
                }
                #expect(errors.keys.sorted() == ["broken", "latin", "list", "twice"])
                #expect(errors["latin"] == "is not UTF-8")
                #expect(errors["list"] == "must be a map")
                #expect(errors["twice"]?.contains("a is there twice") == true)
                let prompts = try await server.items("prompts")
                let nul = prompts.first { ($0["path"] as? String)?.hasSuffix("nul.md") == true }
                #expect(nul?["error"] as? String == "holds a NUL")
                let words = items.first { $0["name"] as? String == "twice" }?["description"] as? String
                #expect(words == "Twice")
                let hat = try await server.items("hats").first
                #expect(hat?["name"] as? String == "broken" && hat?["description"] as? String == "")
                #expect((hat?["error"] as? String)?.isEmpty == false)
            })
    }

    @Test func `hats have what they import, or say why not`() async throws {
        try await withLibrary(
            {
                try $0.write("base/presets/imp/a.yml", "name: Imported\ntriggers: [x.go]\npublishes: [z]\n")
                try $0.write(
                    "base/presets/one.yml",
                    "hats:\n  a: {import: imp/a.yml, triggers: [y.go]}\n  b: {import: gone.yml, name: Bee}\n")
                try $0.write("base/presets/two.yml", "hats: {c: {import: leak.yml}}")
                try FileManager.default.createSymbolicLink(
                    atPath: $0.path + "/base/presets/leak.yml", withDestinationPath: "../../outside/hat.yml")
                try $0.write("outside/hat.yml", "name: Secret")
            },
            { server in
                let hats = try await server.items("hats")
                #expect(hats.map { $0["name"] as? String } == ["Bee", "Imported", "c"])
                #expect(hats[1]["triggers"] as? [String] == ["y.go"] && hats[1]["error"] == nil)
                #expect(hats[1]["publishes"] as? [String] == ["z"])
                let problem = "line 3: hat b: import gone.yml is no readable file of at most 1 MiB"
                #expect(hats[0]["error"] as? String == problem)
                #expect((hats[2]["error"] as? String)?.contains("import leak.yml") == true)
                let config = try await server.items("configs").first { $0["name"] as? String == "one" }
                #expect(config?["error"] as? String == problem)

                try server.root.write("base/presets/gone.yml", "description: Found\n")
                try server.root.write("base/presets/imp/a.yml", "name: Another\n")
                try await eventually(within: .seconds(10)) {
                    let hats = try await server.items("hats")
                    return hats.map { $0["name"] as? String } == ["Another", "Bee", "c"]
                        && hats[1]["description"] as? String == "Found" && hats[1]["error"] == nil
                }
            })
    }

    @Test func `hats of the user's configuration lie below those of presets`() async throws {
        try await withLibrary(
            {
                try $0.write(
                    ".ralph/config.yml",
                    """
                    RObot: {telegram: {bot_token: hidden}}
                    hats:
                      a: {name: Home, description: Below, triggers: [x.go], publishes: [x.done]}
                      u: {name: Userhat}
                    """)
                try $0.write("base/presets/one.yml", "hats: {a: {name: Own, triggers: [y.go]}, b: {}}")
                try $0.write("shipped/hats/set.yml", "hats: {a: {}, u: {name: Userhat}}")
            },
            { server in
                let hats = try await server.items("hats")
                #expect(hats.map { $0["name"] as? String } == ["Home", "Own", "Userhat", "a", "b"])
                #expect(hats[1]["description"] as? String == "Below")
                #expect(hats[1]["triggers"] as? [String] == ["y.go"])
                #expect(hats[1]["publishes"] as? [String] == ["x.done"])
                #expect(hats[2]["origin"] as? String == "user" && hats[2]["path"] as? String == "config.yml")
                #expect(hats[2]["presets"] as? [String] == [])
                #expect(hats[2]["shadows"] as? [String] == [server.root.path + "/shipped/hats/set.yml"])
                #expect(try await server.get("/api/configs/config.yml").status == 404)
                // One that is broken is passed over, as where sessions are told.
                try server.root.write(".ralph/config.yml", "hats: [")
                #expect(try await server.members("hats", "name") == ["Own", "Userhat", "a", "b"])
            })
    }

    @Test func `a file that is not looked into to its end can be used, and cuts the hats`() async throws {
        let filler = "#" + String(repeating: "x", count: LibraryLimits.yamlBytes) + "\n"
        let many = (1...LibraryLimits.members + 1).map { "  h\($0): {triggers: [x]}\n" }.joined()
        for (file, text) in [
            ("base/presets/large.yml", "hats: {a: {}}\n" + filler),
            ("base/hats/large.yml", "hats: {a: {}}\n" + filler),
            ("base/presets/many.yml", "hats:\n" + many),
        ] {
            try await withLibrary({ try $0.write(file, text) }) { server in
                #expect(try await server.items("configs").allSatisfy { $0["error"] == nil })
                let list = try await server.get("/api/hats").object()
                let hats = list["hats"] as? [[String: Any]] ?? []
                #expect(hats.count == (text.hasSuffix(filler) ? 0 : LibraryLimits.members))
                #expect(list["truncated"] as? Bool == true && list["found"] as? Int ?? 0 > 0)
            }
        }
    }

    @Test func `hats come from presets and files of hats, each name once`() async throws {
        let hat = "  builder: {name: Builder, description: Builds, triggers: [a], publishes: b}\n"
        try await withLibrary(
            {
                try $0.write("base/presets/one.yml", "hats:\n" + hat)
                try $0.write("base/presets/two.yml", "hats:\n" + hat + "  odd: {name: ~, triggers: null}\n")
                try $0.write("shipped/hats/set.yml", "hats:\n" + hat + "  planner: {triggers: [x, 1, [y]]}\n")
                try $0.write("shipped/hats/single.yml", "name: Single\ntriggers: [z]\ninstructions: go\n")
            },
            { server in
                let hats = try await server.items("hats")
                #expect(hats.map { $0["name"] as? String } == ["Builder", "Single", "odd", "planner"])
                let builder = hats[0]
                #expect(builder["id"] as? String == "builder")
                #expect(builder["description"] as? String == "Builds")
                #expect(builder["emoji"] as? String == "🏗️")
                #expect(builder["color"] as? String == "#c71585")
                #expect(builder["triggers"] as? [String] == ["a"])
                #expect(builder["publishes"] as? [String] == ["b"])
                #expect(builder["presets"] as? [String] == ["one", "two"])
                #expect((builder["shadows"] as? [String])?.count == 2)
                #expect(hats[2]["emoji"] as? String == "🎩" && hats[2]["triggers"] as? [String] == [])
                #expect(hats[3]["triggers"] as? [String] == ["x", "1"])
                #expect(hats[1]["id"] as? String == "single")
            })
    }
}
