import Foundation
import RalphControl
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct LibraryStartTests {
    private func plan(_ body: [String: String], _ directory: TemporaryDirectory) throws -> LaunchedFiles {
        var resolver = StartResolver(places: LibraryScene.places(directory))
        resolver.workspaces = { [directory.path + "/base/ws"] }
        let json = try JSONSerialization.data(withJSONObject: body)
        let plan = try resolver.resolve(StartRequest(RequestObject(Array(json)))).plan
        var files = LaunchedFiles()
        files.config = try plan.config.map { try String(contentsOfFile: $0, encoding: .utf8) }
        if case .file(let path) = plan.prompt {
            files.prompt = try String(contentsOfFile: path, encoding: .utf8)
        }
        return files
    }

    /// What of an item means it: its path, and its name unless an item before it has the same one.
    private func members(of item: [String: Any], _ items: [[String: Any]]) -> [String] {
        let named = items.filter { $0["name"] as? String == item["name"] as? String }
        let isHidden = (item["path"] as? String)?.hasPrefix("ws/") == true && named.count > 1
        return isHidden ? ["path"] : ["name", "path"]
    }

    private struct LaunchedFiles {
        var config: String?
        var prompt: String?
    }

    @Test(arguments: ["", "?workspace=ws"])
    func `every configuration of a list can be started by its name and its path`(_ query: String)
        async throws
    {
        try await withLibrary(
            {
                // Files that are none of the library must not be taken for its items.
                for name in ["mine", "plan", "solo", "ralph"] { try $0.write("base/\(name)", "wrong") }
            },
            { server in
                let items = try await server.items("configs", query)
                #expect(items.count >= 7)
                for item in items {
                    let line = "# \(item["description"] as? String ?? "")\n"
                    for member in members(of: item, items) {
                        let body = [
                            "config_path": item[member] as? String ?? "", "prompt": "go",
                            "working_dir": query.isEmpty ? "." : "ws",
                        ]
                        #expect(try plan(body, server.root).config?.hasPrefix(line) == true, "\(body)")
                    }
                }
            })
    }

    @Test(arguments: ["", "?workspace=ws"])
    func `every prompt of a list can be started by its name and its path`(_ query: String) async throws {
        try await withLibrary(
            {
                for name in ["PROMPT", "fix", "personal"] { try $0.write("base/\(name)", "wrong") }
                // What the path of the workspace's own file means there, so that this is not listed.
                try $0.write("base/ws/ws/prompts/fix.md", "wrong")
            },
            { server in
                let items = try await server.items("prompts", query)
                #expect(items.count >= (query.isEmpty ? 5 : 4))
                for item in items {
                    let line = item["preview"] as? String ?? "?"
                    for member in members(of: item, items) {
                        let body = [
                            "prompt_path": item[member] as? String ?? "",
                            "working_dir": query.isEmpty ? "." : "ws",
                        ]
                        #expect(try plan(body, server.root).prompt?.contains(line) == true, "\(body)")
                    }
                }
            })
    }

    @Test func `an item whose path means another file is not listed`() async throws {
        try await withLibrary(
            { try $0.write("base/configs/everywhere.yml", "# the project's own\n") },
            { server in
                let paths = try await server.members("configs", "path")
                #expect(!paths.contains("configs/everywhere.yml"))
                #expect(paths.contains("configs/solo.yml"))
            })
    }

    @Test func `the name of a file that is not listed is nobody else's`() async throws {
        try await withLibrary(
            {
                try $0.write("base/ws/presets/everywhere.yml", "# the workspace's\n")
                try $0.write("base/ws/ws/presets/everywhere.yml", "# what its path means there\n")
            },
            { server in
                let names = try await server.members("configs", "name", "?workspace=ws")
                #expect(!names.contains("everywhere") && names.contains("personal"))
            })
    }

    @Test func `what is hidden in the user's directory cannot be started`() async throws {
        try await withTemporaryDirectory { directory in
            try LibraryScene.write(to: directory)
            let secret = try directory.write(".ralph/config.yml", "# secret\n")
            for name in [secret, "config.yml", "config"] {
                #expect(throws: Problem.configNotFound(name)) {
                    try plan(["config_path": name, "prompt": "go"], directory)
                }
            }
        }
    }

    @Test func `nor is it where the home directory is a root, but what it links to can be`() async throws {
        try await withTemporaryDirectory { directory in
            let places = LibraryPlaces(
                roots: [directory.path], home: directory.path, configHome: directory.path + "/.config",
                libraries: [])
            let plan = { (name: String) throws(Problem) in
                try StartResolver(places: places).resolve(
                    StartRequest(RequestObject(Array(#"{"config_path":"\#(name)","prompt":"go"}"#.utf8)))
                ).plan
            }
            let secret = try directory.write(".ralph/config.yml", "# secret\n")
            for name in [secret, ".ralph/config.yml"] {
                #expect(throws: Problem.configNotFound(name)) { try plan(name) }
            }

            try directory.remove(".ralph/config.yml")
            let file = try directory.write("project/ralph.yml", "# plain\n")
            try FileManager.default.createSymbolicLink(atPath: secret, withDestinationPath: file)
            #expect(try plan("project/ralph.yml").config == file)
        }
    }

    @Test(arguments: ["state/server.json", "state/runs/x.md", "prompts/key.md", "key", "plain/alias.md"])
    func `what the server keeps for itself is no prompt where a root is above it`(_ name: String) async throws
    {
        try await withTemporaryDirectory { directory in
            var places = LibraryPlaces(
                roots: [directory.path], home: directory.path, configHome: directory.path + "/.config",
                libraries: [])
            places.secretFiles = ["/state/server.json", "/state/runs", "/prompts/key.md"].map {
                directory.path + $0
            }
            for file in ["state/server.json", "state/runs/x.md", "prompts/key.md", "state/mine/plain.md"] {
                try directory.write(file, "text\n")
            }
            try directory.write("plain/own.md", "text\n")
            try FileManager.default.createSymbolicLink(
                atPath: directory.path + "/plain/alias.md", withDestinationPath: "../prompts/key.md")
            let resolver = StartResolver(places: places)
            let start = { (name: String) throws(Problem) in
                try StartRequest(RequestObject(Array(#"{"prompt_path":"\#(name)"}"#.utf8)))
            }

            for given in [name, directory.path + "/" + name] {
                let request = try start(given)
                #expect(throws: Problem.notFound("prompt_not_found", given)) { try resolver.resolve(request) }
            }
            for plain in ["plain/own.md", "state/mine/plain.md"] {
                let found = try resolver.resolve(start(plain))
                #expect(found.plan.prompt == .file(directory.path + "/" + plain))
            }
        }
    }
}
