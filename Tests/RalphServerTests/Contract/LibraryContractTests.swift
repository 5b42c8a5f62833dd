import RalphServer
import RalphTestSupport
import Testing

/// What the app reads of the library and the host (http-contract 5, 6).
@Suite(.timeLimit(.minutes(1)))
struct LibraryContractTests {
    private static let preset = """
        # Builds and reviews
        event_loop: {starting_event: work.start}
        hats:
          builder: {name: Builder, description: builds, triggers: [work.start], publishes: [work.done]}
        """

    private func withLibrary(_ body: @Sendable @escaping (RunningServer) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("presets/tiny.yml", Self.preset)
            try directory.write("prompts/deep/fix it.md", "\n# Fix it\n\nAll of it.\n")
            try await withServer(in: directory) { server in try await body(server) }
        }
    }

    @Test
    func `configs and presets`() async throws {
        try await withLibrary { server in
            let configs = try await server.get("/api/configs", as: ClientModels.Configs.self).configs
            let tiny = try #require(configs.first { $0.name == "tiny" })
            #expect(tiny.description == "Builds and reviews")
            let content = try await server.get(
                "/api/configs/" + tiny.path, as: ClientModels.Content.self)
            #expect(content.content == Self.preset)
            #expect(content.content_type == "yaml")
            let presets = try await server.get("/api/presets", as: ClientModels.Presets.self).presets
            #expect(presets.contains { $0.name == "tiny" })
            let problem = try ClientAnswer.decode(
                ClientModels.Problem.self, try await server.get("/api/configs/presets/none.yml"), status: 404)
            #expect(problem.error == "config_not_found: presets/none.yml")
        }
    }

    @Test
    func `prompts`() async throws {
        try await withLibrary { server in
            let prompts = try await server.get("/api/prompts", as: ClientModels.Prompts.self).prompts
            let prompt = try #require(prompts.first { $0.path.hasSuffix("fix it.md") })
            #expect(prompt.preview == "# Fix it")
            let target = "/api/prompts/" + prompt.path.replacing(" ", with: "%20")
            let content = try await server.get(target, as: ClientModels.Content.self)
            #expect(content.content.contains("All of it."))
            #expect(content.content_type == "markdown")
            for path in ["..%2f..%2fetc%2fpasswd", "%2e%2e/secret.md"] {
                let problem = try ClientAnswer.decode(
                    ClientModels.Problem.self, try await server.get("/api/prompts/" + path), status: 400)
                #expect(problem.error == "invalid_path: path traversal not allowed")
            }
        }
    }

    @Test
    func `hats`() async throws {
        try await withLibrary { server in
            let hats = try await server.get("/api/hats", as: ClientModels.Hats.self).hats
            #expect(hats.first { $0.name == "Builder" }?.emoji == "🏗️")
            #expect(Set(hats.map(\.name)).count == hats.count)
            #expect(hats.map(\.name) == hats.map(\.name).sorted())
        }
    }

    @Test
    func `skills`() async throws {
        try await withLibrary { server in
            let list = try await server.get("/api/skills", as: ClientModels.Skills.self)
            #expect(list.count.value == list.skills.count)
            #expect(Set(["ralph-tools", "robot-interaction"]).isSubset(of: list.skills.map(\.name)))
            for skill in list.skills {
                _ = try await server.get("/api/skills/" + skill.name, as: ClientModels.Skill.self)
                let loaded = try await server.post(
                    "/api/skills/\(skill.name)/load", as: ClientModels.LoadedSkill.self)
                #expect(loaded.content.hasPrefix("<\(skill.name)-skill>\n"))
            }
            let problem = try ClientAnswer.decode(
                ClientModels.Problem.self, try await server.get("/api/skills/none"), status: 404)
            #expect(problem.error == "Skill 'none' not found")
        }
    }

    @Test(
        arguments: ["/api/host/metrics", "/api/metrics/host"])
    func `figures of the host`(_ path: String) async throws {
        try await withServer { server in
            let metrics = try await server.get(path, as: ClientModels.HostMetrics.self)
            #expect(metrics.cpu.cores > 0)
            #expect(metrics.load_avg.count == 3)
            #expect(metrics.memory.total_gb >= metrics.memory.used_gb)
        }
    }

    @Test(
        arguments: ["/api/host/processes", "/api/metrics/processes"])
    func `processes of the host`(_ path: String) async throws {
        try await withServer { server in
            let list = try await server.get(path, as: ClientModels.HostProcesses.self).processes
            #expect(list.count <= 10)
            #expect(Set(list.map(\.pid.value)).count == list.count)
        }
    }
}
