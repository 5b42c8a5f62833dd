import Foundation
import RalphTestSupport
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct LibraryContentTests {
    @Test func `what is listed can be read`() async throws {
        try await withLibrary { server in
            _ = try await server.waitForSession("ws", events: 1)
            for item in try await server.items("configs") {
                let path = item["path"] as? String ?? ""
                let content = try await server.get("/api/configs/\(path)").object()
                #expect(content["path"] as? String == path)
                #expect(
                    (content["content"] as? String)?.hasPrefix("# \(item["description"] ?? "")\n") == true)
                #expect(content["content_type"] as? String == "yaml")
                #expect(content["mime_type"] as? String == "application/x-yaml")
                #expect(content["origin"] as? String == item["origin"] as? String)
            }
            for item in try await server.items("prompts") {
                let content = try await server.get("/api/prompts/\(item["path"] ?? "")").object()
                #expect((content["content"] as? String)?.contains(item["preview"] as? String ?? "?") == true)
                #expect(content["content_type"] as? String == "markdown")
                #expect(content["mime_type"] as? String == "text/markdown")
            }
        }
    }

    private static let hiddenItems = [
        "configs": [".dotfiles/ralph.yml", ".dotfiles/presets/own.yml", "ws/.notes/ralph.yml"],
        "prompts": [".dotfiles/prompts/x.md"],
    ]

    private static func arrangeHidden(_ directory: TemporaryDirectory) throws {
        for (list, paths) in hiddenItems {
            let text = list == "configs" ? "a: shown\n" : "shown"
            for path in paths { try directory.write("base/" + path, text) }
        }
        try directory.write("base/.dotfiles/.ralph/hats/a.yml", "name: A\ntriggers: [x]\n")
        try directory.write("base/.dotfiles/.ssh/key.yml", "secret")
        try directory.write("base/.other/ralph.yml", "secret")
        try directory.write("base/.dotfiles-old/ralph.yml", "secret")
        try FileManager.default.createSymbolicLink(
            atPath: directory.path + "/base/.dotfiles/presets/leak.yml",
            withDestinationPath: "../.ssh/key.yml")
        for workspace in [".dotfiles", "ws/.notes"] {
            try directory.write(
                "base/\(workspace)/.ralph/events.jsonl", RunningServer.lines(1...1, when: true))
        }
    }

    @Test func `what is listed of a workspace that is hidden can be read`() async throws {
        try await withLibrary(Self.arrangeHidden) { server in
            for name in [".dotfiles", "ws/.notes"] { _ = try await server.waitForSession(name, events: 1) }
            for (list, paths) in Self.hiddenItems {
                let listed = try await server.members(list, "path")
                for path in paths {
                    #expect(listed.contains(path))
                    let scopes = path.hasPrefix(".dotfiles") ? ["", "?workspace=.dotfiles"] : [""]
                    for scope in scopes {
                        let content = try await server.get("/api/\(list)/\(path)\(scope)").object()
                        #expect((content["content"] as? String)?.contains("shown") == true, "\(path)\(scope)")
                        #expect(content["path"] as? String == path)
                        #expect(content["origin"] as? String == "workspace")
                    }
                }
            }
            #expect(try await server.members("hats", "path").contains(".dotfiles/.ralph/hats/a.yml"))
            #expect(try await server.get("/api/configs/.dotfiles/.ralph/hats/a.yml").status == 200)
        }
    }

    @Test(arguments: [
        ".dotfiles/.ssh/key.yml", ".other/ralph.yml", ".dotfiles-old/ralph.yml", ".dotfiles",
        ".dotfiles/.dotfiles/ralph.yml", ".dotfiles/ralph.yml?workspace=ws", ".dotfiles/presets/leak.yml",
    ])
    func `nothing else that is hidden can be read`(_ path: String) async throws {
        try await withLibrary(Self.arrangeHidden) { server in
            for name in [".dotfiles", "ws/.notes"] { _ = try await server.waitForSession(name, events: 1) }
            let response = try await server.get("/api/configs/\(path)")
            #expect(response.status == (path.hasSuffix("leak.yml") ? 400 : 404))
            #expect(!response.text.contains("shown") && !response.text.contains("secret"))
        }
    }

    @Test(arguments: [
        "..", "../outside/secret.yml", "presets/../../outside/secret.yml", "%2e%2e/outside/secret.yml",
        "..%2foutside%2fsecret.yml", "%2e%2e%2foutside%2fsecret.yml", "%2E%2E%2Foutside/secret.yml",
        ".%2e/outside/secret.yml", "..%5coutside%5csecret.yml", "presets%5cmine.yaml",
        "%2fetc%2fpasswd", "/etc/passwd", "//etc//passwd", "presets/mine.yaml%00", "%00",
        "presets/%ff.yml", "presets/%zz.yml", "presets/leak.yml", "leaks/secret.yml", "presets/dotenv.yml",
        "presets/chain.yml", "presets/..", "presets/mine.yaml/..",
    ])
    func `a path that leads elsewhere is a 400`(_ path: String) async throws {
        try await withLibrary(Self.arrangeLinks) { server in
            for route in ["configs", "prompts"] {
                let given = route == "prompts" ? path.replacing(".yml", with: ".md") : path
                let response = try await server.get("/api/\(route)/\(given)")
                #expect(!response.text.contains("secret\\n"))
                #expect(response.status == 400, "\(route)/\(given): \(response.text)")
                #expect(
                    try response.object()["error"] as? String == "invalid_path: path traversal not allowed")
            }
        }
    }

    private static func arrangeLinks(_ directory: TemporaryDirectory) throws {
        for (folder, ending) in [("presets", "yml"), ("presets", "md")] {
            let links = directory.path + "/base/" + folder
            let make = FileManager.default.createSymbolicLink(atPath:withDestinationPath:)
            try make("\(links)/leak.\(ending)", directory.path + "/outside/secret.\(ending)")
            try make("\(links)/chain.\(ending)", "leak.\(ending)")
            try make("\(links)/dotenv.\(ending)", "../.env")
        }
        try FileManager.default.createSymbolicLink(
            atPath: directory.path + "/base/leaks", withDestinationPath: directory.path + "/outside")
        try directory.write("base/.env", "secret\n")
    }

    @Test(arguments: [
        "%252e%252e%252foutside%252fsecret.yml", "proc/self/environ", "etc/passwd", "nothing.yml", "presets",
        "presets/", "presets/./mine.yaml", "./presets/mine.yaml", "presets//mine.yaml", "...", "ralph.yml/x",
        ".env", ".git/config.yml", "presets/pipe.yml", "presets/folder.yml", "presets/mine", "~", "*.yml",
        "presets/latin.yml", ".ralph/presets/personal.yml", "config.yml",
    ])
    func `what is no file of the library is a 404 with its path`(_ path: String) async throws {
        try await withLibrary(
            {
                try $0.write("base/.env", "secret\n")
                try $0.write("base/.git/config.yml", "secret\n")
                try $0.write(".ralph/config.yml", "secret\n")
                try $0.write("base/presets/folder.yml/x", "")
                try $0.write("base/presets/latin.yml", bytes: [0xE9])
                #expect(mkfifo($0.path + "/base/presets/pipe.yml", 0o644) == 0)
            },
            { server in
                let error = try await server.error("/api/configs/\(path)", status: 404)
                #expect(error == "config_not_found: \(path.removingPercentEncoding ?? "")")
                let prompt = try await server.error("/api/prompts/\(path)", status: 404)
                #expect(prompt == "prompt_not_found: \(path.removingPercentEncoding ?? "")")
            })
    }

    @Test(arguments: ["prompts/key.md", "presets/key.yml"])
    func `the library never shows what the key of the server is`(_ name: String) async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write(name, "secret")
            try directory.write("prompts/other.md", "plain")
            try directory.write("presets/other.yml", "a: plain")
            try await withServer(in: directory, { $0.apiKeyFile = file }) { server in
                let route = name.hasSuffix("md") ? "prompts" : "configs"
                let item = try await server.items(route).first { $0["path"] as? String == name }
                #expect(item?["error"] as? String == "cannot be read")
                #expect(try await server.get("/api/\(route)").text.contains("secret") == false)
                let response = try await server.get("/api/\(route)/\(name)")
                #expect(response.status == 400 && !response.text.contains("secret"))
                // A run would show it as its prompt.
                let kind = name.hasSuffix("md") ? "prompt" : "config"
                let body = #"{"\#(kind)_path":"\#(name)""# + (kind == "config" ? #","prompt":"go"}"# : "}")
                let start = try await server.post("/api/sessions", body)
                #expect(start.status == 404)
                #expect(try start.object()["error"] as? String == "\(kind)_not_found: \(name)")
            }
        }
    }

    @Test(arguments: [("prompts", "prompt", "md"), ("configs", "config", "yml")])
    func `a worktree's copy of the key is not shown either`(
        _ route: String, _ kind: String, _ ending: String
    ) async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write("mine/key.\(ending)", "secret")
            try directory.write(".worktrees/x/mine/key.\(ending)", "secret")
            try directory.write(".worktrees/x/mine/other.\(ending)", "a: plain")
            try await withServer(in: directory, { $0.apiKeyFile = file }) { server in
                let other = try await server.get("/api/\(route)/.worktrees/x/mine/other.\(ending)")
                #expect(other.status == 200)

                let name = ".worktrees/x/mine/key.\(ending)"
                let response = try await server.get("/api/\(route)/\(name)")
                #expect(response.status == 400 && !response.text.contains("secret"))
                let body = #"{"\#(kind)_path":"\#(name)""# + (kind == "config" ? #","prompt":"go"}"# : "}")
                let start = try await server.post("/api/sessions", body)
                #expect(start.status == 404)
            }
        }
    }

    @Test(arguments: [
        (".ralph/config.yml", false), ("presets/alias.yml", false), ("config.yml?workspace=.ralph", false),
        (".ralph/config.yml", true), ("presets/alias.yml", true), ("dotfiles/config.yml", true),
        (".ralph/presets/mine.yml", false), ("presets/mine.yml", false),
    ])
    func `the user's own configuration is not shown where the home directory is a root`(
        _ path: String, _ isLinked: Bool
    ) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write(isLinked ? "dotfiles/config.yml" : ".ralph/config.yml", "# secret\n")
            try directory.write(".ralph/presets/plain.yml", "# plain\n")
            try directory.write("presets/plain.yml", "# plain\n")
            let make = FileManager.default.createSymbolicLink(atPath:withDestinationPath:)
            if isLinked { try make(directory.path + "/.ralph/config.yml", "../dotfiles/config.yml") }
            try make(directory.path + "/presets/alias.yml", "../.ralph/config.yml")
            try make(directory.path + "/.ralph/presets/mine.yml", "../config.yml")
            try await withServer(in: directory) { server in
                let response = try await server.get("/api/configs/\(path)")
                #expect([400, 404].contains(response.status) && !response.text.contains("secret"))
                #expect(try await server.get("/api/configs").text.contains("secret") == false)
                #expect(try await server.get("/api/configs/presets/plain.yml").status == 200)
                #expect(try await server.get("/api/configs/.ralph/presets/plain.yml").status == 200)
            }
        }
    }

    @Test func `a file of hats can be read in every place`() async throws {
        let files = [
            "base/ws/.ralph/hats/a.yml", "base/hats/b.yml", ".ralph/hats/c.yml", "shipped/hats/d.yml",
            ".config/ralph-mobile-server/library/hats/e.yml",
        ]
        try await withLibrary(
            { for name in files { try $0.write(name, "name: \(name)\ntriggers: [x]\n") } },
            { server in
                _ = try await server.waitForSession("ws", events: 1)
                let hats = try await server.items("hats")
                #expect(hats.count == files.count)
                for hat in hats {
                    let content = try await server.get("/api/configs/\(hat["path"] ?? "")").object()
                    let text = content["content"] as? String
                    #expect(text?.hasPrefix("name: \(hat["name"] ?? "")\n") == true)
                    #expect(content["origin"] as? String == hat["origin"] as? String)
                }
                #expect(try await server.get("/api/prompts/hats/c.md").status == 404)
            })
    }

    @Test func `an empty path is said to be empty`() async throws {
        try await withLibrary { server in
            for target in ["/api/configs/", "/api/prompts/", "/api/prompts/?x=1"] {
                let error = try await server.error(target, status: 400)
                #expect(error == "invalid_path: path cannot be empty")
            }
        }
    }

    @Test func `a large file is not shown, and names may be strange`() async throws {
        try await withLibrary(
            {
                try $0.write("base/presets/huge.yml", String(repeating: "# 10 MB\n", count: 1_310_720))
                try $0.write("base/prompts/new\nline ü.md", "strange")
                try $0.write("base/prompts/huge.md", String(repeating: "# 1 MB\n", count: 150_000))
                let bad = $0.path + "/base/prompts/"
                let name = Array(bad.utf8).map(CChar.init(bitPattern:)) + [CChar(bitPattern: 0xFF)]
                close(creat(name + Array(".md".utf8).map(CChar.init(bitPattern:)) + [0], 0o644))
            },
            { server in
                let error = try await server.error("/api/configs/presets/huge.yml", status: 413)
                #expect(error == "content_too_large: presets/huge.yml")
                let huge = try await server.items("configs").first { $0["name"] as? String == "huge" }
                #expect(huge?["description"] as? String == "10 MB")
                #expect((huge?["error"] as? String)?.contains("not looked into") == true)
                let prompt = try await server.items("prompts").first { $0["name"] as? String == "huge" }
                #expect(prompt?["error"] as? String == "more than 1048576 bytes are not shown")
                #expect(try await server.get("/api/prompts/prompts/huge.md").status == 413)
                let strange = try await server.items("prompts").first {
                    $0["preview"] as? String == "strange"
                }
                #expect(strange?["path"] as? String == "prompts/new\nline ü.md")
                let content = try await server.get("/api/prompts/prompts/new%0Aline%20%C3%BC.md").object()
                #expect(content["content"] as? String == "strange")
                #expect(try await server.get("/api/prompts/prompts/%ff.md").status == 400)
            })
    }

    @Test func `a link inside the root to a file of the kind is followed`() async throws {
        try await withLibrary(
            {
                try FileManager.default.createSymbolicLink(
                    atPath: $0.path + "/base/presets/alias.yml", withDestinationPath: "mine.yaml")
            },
            { server in
                #expect(try await server.members("configs", "name").contains("alias"))
                let content = try await server.get("/api/configs/presets/alias.yml").object()
                #expect(content["content"] as? String == "# base/presets/mine.yaml\nevent_loop: {}\n")
            })
    }

    @Test func `a folder that is a link to another one inside the root is followed, whatever that is called`()
        async throws
    {
        try await withLibrary(
            {
                try $0.write("base/shared/hats-1.2/linked.yml", "hats: {linked: {name: Linked}}")
                try FileManager.default.createSymbolicLink(
                    atPath: $0.path + "/base/hats", withDestinationPath: "shared/hats-1.2")
            },
            { server in
                let hats = try await server.members("hats", "id")
                #expect(hats.contains("linked"))
            })
    }
}
