import RalphTestSupport
import Testing

@testable import RalphSessions

@Suite(.timeLimit(.minutes(1))) struct WorkspaceConfigTests {
    @Test func `hats come in the order of their keys' bytes, with their topics`() throws {
        let config = try #require(
            WorkspaceConfig(
                yaml: """
                    max_iterations: 7
                    hats:
                      beta: {triggers: b.c}
                      alpha: {triggers: [a.*, b.c], publishes: [x]}
                      Zed: {name: "The Z", triggers: z.go}
                    """))

        #expect(config.hats.map(\.key) == ["Zed", "alpha", "beta"])
        #expect(config.hats.map(\.id) == ["zed", "alpha", "beta"])
        #expect(config.hats.map(\.name) == ["The Z", "alpha", "beta"])
        #expect(config.hats.map(\.triggers) == [["z.go"], ["a.*", "b.c"], ["b.c"]])
        #expect(config.maxIterations == 7)
        #expect(config.completionPromise == "LOOP_COMPLETE")
        #expect(config.cancellationPromise == nil)
    }

    @Test(arguments: [
        ("hats: {b: {triggers: x.go}, a: {triggers: '*'}}", "x.go", "b"),
        ("hats: {b: {triggers: x.go}, a: {triggers: '*'}}", "y.go", "a"),
        ("hats: {z: {triggers: '*'}}", "y.go", "ralph"), ("hats: {a: {triggers: x.go}}", "y.go", "ralph"),
        ("hats: {b: {triggers: x.*}, B: {triggers: x.go}}", "x.go", "B"),
    ]) func `an event waits with the first hat that asks for its topic by name`(
        yaml: String, topic: String, queue: String
    ) throws {
        #expect(try #require(WorkspaceConfig(yaml: yaml)).takers(of: topic).queue == queue)
    }

    @Test(arguments: [
        ("{a: {publishes: [x.go, y.*]}, b: {publishes: x.go}}", "x.go", false),
        ("{a: {publishes: [x.go, y.*]}, b: {publishes: x.go}}", "y.go", true),
        ("{a: {publishes: [x.go, y.*]}}", "y.go", false), ("{a: {triggers: x.go}}", "x.go", true),
        ("{}", "x.go", false),
    ]) func `an enforced scope drops what some hat does not publish`(
        _ hats: String, _ topic: String, _ isDropped: Bool
    ) throws {
        let yaml = "event_loop: {enforce_hat_scope: true}\nhats: \(hats)"
        #expect(try #require(WorkspaceConfig(yaml: yaml)).dropsSometimes(topic) == isDropped)
        #expect(try !#require(WorkspaceConfig(yaml: "hats: \(hats)")).dropsSometimes(topic))
    }

    @Test(arguments: [("5", 5000), ("0", 0), ("-1", 0), ("1:30", 0), ("soon", 0), ("1000000000", 86_400_000)])
    func `the wait between iterations is a number of seconds, at most a day`(
        text: String, milliseconds: Int64
    )
        throws
    {
        let config = try #require(WorkspaceConfig(yaml: "event_loop: {cooldown_delay_seconds: \(text)}"))
        #expect(config.cooldownMilliseconds == milliseconds)
    }

    @Test(arguments: [
        ("5", 5), ("0", 0), ("-1", 14_400), ("soon", 14_400), ("9223372036854775807", 3_153_600_000),
        ("18446744073709551615", 3_153_600_000),
    ])
    func `the time of a run is a number of seconds, at most a hundred years`(text: String, seconds: Int)
        throws
    {
        let config = try #require(WorkspaceConfig(yaml: "event_loop: {max_runtime_seconds: \(text)}"))
        #expect(config.maxRuntimeSeconds == seconds)
    }

    @Test(arguments: ["", "- a", "7", "a: [", "\t", "hats: 7\nevent_loop: []"])
    func `odd files are survived`(yaml: String) {
        #expect(WorkspaceConfig(yaml: yaml)?.hats.isEmpty != false)
    }

    @Test(arguments: [
        ("0", 0), ("4294967295", 4_294_967_295), ("4294967296", 100), ("-1", 100),
        ("-9223372036854775808", 100), ("1e300", 100), ("many", 100), ("1:30", 100),
        ("9223372036854775807:1", 100), ("1:1:1:1:1:1:1:1:1:1:1:1", 100),
    ]) func `a limit that Ralph cannot read counts as absent`(text: String, limit: Int) {
        #expect(WorkspaceConfig(yaml: "event_loop: {max_iterations: \(text)}")?.maxIterations == limit)
    }

    @Test(arguments: [("30", 30), ("-1", nil), ("1:30", nil), ("9223372036854775807:1", nil)])
    func `a robot's time that Ralph cannot read counts as absent`(text: String, seconds: Int?) {
        #expect(WorkspaceConfig(yaml: "RObot: {timeout_seconds: \(text)}")?.robotTimeoutSeconds == seconds)
    }

    @Test func `a workspace without a file has no configuration`() async throws {
        try await withTemporaryDirectory { directory in
            #expect(WorkspaceConfig.load(file: directory.path + "/ralph.yml") == nil)
            try directory.write("ralph.yml", "event_loop: {max_iterations: 5}")
            #expect(WorkspaceConfig.load(file: directory.path + "/ralph.yml")?.maxIterations == 5)
        }
    }

    @Test func `of several files the first that is there counts, even if it is none`() async throws {
        try await withTemporaryDirectory { directory in
            let files = ["a.yml", "b.yml", "c.yml"].map { directory.path + "/" + $0 }
            try directory.write("c.yml", "max_iterations: 3")
            #expect(WorkspaceConfig.load(files: files)?.maxIterations == 3)
            try directory.write("b.yml", "max_iterations: 2")
            #expect(WorkspaceConfig.load(files: files)?.maxIterations == 2)
            try directory.write("a.yml", "- no map")
            #expect(WorkspaceConfig.load(files: files) == nil)
        }
    }

    private static let user = """
        event_loop: {max_iterations: 17, completion_promise: HOME_DONE, cancellation_promise: HOME_STOP}
        RObot: {enabled: true, mode: web, timeout_seconds: 3600}
        core: {scratchpad: home.md}
        hats:
          a: {name: Home A, triggers: [x.go, y.go], publishes: [a.done]}
          z: {triggers: z.go}
        """

    @Test func `the user's configuration lies below the run's: maps merge, anything else replaces`() throws {
        let config = try #require(
            WorkspaceConfig(
                yaml: """
                    event_loop: {max_iterations: 5, cancellation_promise: ""}
                    RObot: {timeout_seconds: 90}
                    core: {scratchpad: {enabled: true}}
                    hats: {a: {triggers: [b.go]}, m: {triggers: m.go}}
                    """, user: Self.user))

        #expect(config.maxIterations == 5 && config.completionPromise == "HOME_DONE")
        #expect(config.cancellationPromise == nil && config.scratchpad == nil)
        #expect(config.isRobotEnabled && config.isRobotOnWeb && config.robotTimeoutSeconds == 90)
        #expect(config.hats.map(\.key) == ["a", "m", "z"])
        #expect(config.hats.map(\.name) == ["Home A", "m", "z"])
        #expect(config.hats.map(\.triggers) == [["b.go"], ["m.go"], ["z.go"]])
        #expect(config.hats.first?.publishes == ["a.done"] && config.hasFile)
    }

    @Test(
        arguments: [
            ("{}", "PROMPT.md"), ("prompt_file: a.md", "a.md"), ("event_loop: {prompt_file: b.md}", "b.md"),
            ("event_loop: {prompt: Do it., prompt_file: b.md}", nil),
        ] as [(String, String?)])
    func `a prompt stands in the configuration or in a file`(yaml: String, file: String?) throws {
        #expect(try #require(WorkspaceConfig(yaml: yaml)).promptFile == file)
    }

    @Test func `a flat key of version 1 counts before the one it became, in whatever layer`() throws {
        let user = "event_loop: {max_iterations: 50, completion_promise: HOME_DONE}"
        let flat = try #require(
            WorkspaceConfig(yaml: "max_iterations: 5\ncompletion_promise: OWN_DONE", user: user))
        #expect(flat.maxIterations == 5 && flat.completionPromise == "OWN_DONE")
        let own = try #require(
            WorkspaceConfig(yaml: "event_loop: {max_iterations: 7}", user: "max_iterations: 9"))
        #expect(own.maxIterations == 9)
    }

    @Test(arguments: ["", "~", "null"]) func `null says nothing, and in quotes is a word`(_ null: String)
        throws
    {
        let yaml = """
            event_loop: {completion_promise: \(null), prompt: \(null), starting_event: "\(null)"}
            core:
              scratchpad: \(null)
            hats:
              a: {name: \(null), triggers: [x.go, \(null)], publishes: \(null)}
            """
        let config = try #require(WorkspaceConfig(yaml: yaml))
        #expect(config.completionPromise == "LOOP_COMPLETE" && config.scratchpad == nil)
        #expect(config.promptFile == "PROMPT.md" && config.startingEvent == (null.isEmpty ? nil : null))
        #expect(config.hats.map(\.name) == ["a"] && config.hats.map(\.triggers) == [["x.go"]])
        #expect(config.hats.map(\.publishes) == [[]])
    }

    @Test(arguments: ["hats: 7", "hats: {a: 7, z: ~}", "hats: ~"])
    func `what is no map replaces one`(yaml: String) throws {
        let config = try #require(WorkspaceConfig(yaml: yaml, user: Self.user))
        #expect(config.hats.allSatisfy { $0.triggers.isEmpty } && config.maxIterations == 17)
    }

    private static let ownWithHats = """
        max_iterations: 5
        event_loop: {completion_promise: OWN_DONE, starting_event: own.go}
        hats: {m: {triggers: m.go}}
        """

    /// Loads `hats` over ``ownWithHats`` over ``user``.
    private func layered(
        hats: String?, named name: String = "hats.yml", promise: String? = nil
    ) async throws -> WorkspaceConfig {
        try await withTemporaryDirectory { directory in
            try directory.write("user.yml", Self.user)
            try directory.write("ralph.yml", Self.ownWithHats)
            if let hats { try directory.write("hats.yml", hats) }
            let place = directory.path + "/"
            let layers = ConfigurationLayers(
                files: [place + "ralph.yml"], hats: name.contains(":") ? name : place + name,
                completionPromise: promise)
            return try #require(WorkspaceConfig.load(layers, user: place + "user.yml"))
        }
    }

    @Test func `a hat collection replaces the hats and lays three keys over the loop's`() async throws {
        let config = try await layered(
            hats: """
                max_iterations: 99
                event_loop: {completion_promise: HATS_DONE, cancellation_promise: HATS_OFF, max_iterations: 98}
                hats: {b: {name: Builder, triggers: [b.go]}}
                """)
        #expect(config.hats.map(\.name) == ["Builder"] && config.hat(for: "b.go")?.key == "b")
        #expect(config.completionPromise == "HATS_DONE" && config.cancellationPromise == "HATS_OFF")
        #expect(
            config.startingEvent == "own.go" && config.maxIterations == 5
                && config.robotTimeoutSeconds == 3600)
    }

    @Test func `of hats that differ only in capitals the one is meant that the topic calls for`() throws {
        let config = try #require(
            WorkspaceConfig(yaml: "hats: {Builder: {triggers: [x]}, builder: {triggers: [task.start]}}"))
        #expect(config.hat("builder", calledBy: "task.start")?.key == "builder")
        #expect(config.hat("builder", calledBy: "x")?.key == "Builder")
        #expect(config.hat("builder", calledBy: nil)?.key == "Builder")
        #expect(config.hat("planner", calledBy: "x") == nil)
    }

    @Test func `of a configuration that is an address nothing is known, not even what the user's says`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let user = try directory.write("user.yml", "max_iterations: 4")
            #expect(WorkspaceConfig.load(files: ["https://example.com/r.yml"], user: user) == nil)
        }
    }

    @Test func `a promise of the command line needs no file`() {
        let layers = ConfigurationLayers(files: ["/nowhere/ralph.yml"], completionPromise: "DONE")
        #expect(WorkspaceConfig.load(layers, user: nil)?.completionPromise == "DONE")
        #expect(WorkspaceConfig.load(ConfigurationLayers(files: []), user: nil) == nil)
    }

    @Test func `a hat collection without hats leaves the configuration's`() async throws {
        let config = try await layered(hats: "event_loop: {starting_event: hats.go}", promise: "FLAG_DONE")
        #expect(config.hats.map(\.key) == ["a", "m", "z"] && config.startingEvent == "hats.go")
        #expect(config.completionPromise == "FLAG_DONE")
    }

    @Test(arguments: [
        ("builtin:debug", "DEBUG_COMPLETE"), ("builtin:code-assist", "LOOP_COMPLETE"),
        ("builtin:hatless-baseline", "OWN_DONE"),
        ("https://example.org/hats.yml", "OWN_DONE"), ("nowhere.yml", "OWN_DONE"),
    ])
    func `of a hat collection that is no file here the hats are not known`(
        name: String, promise: String
    ) async throws {
        let config = try await layered(hats: nil, named: name)
        #expect(config.hats.isEmpty && config.completionPromise == promise && config.maxIterations == 5)
    }

    @Test func `the user's configuration holds without another one, and not beside one that is broken`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let (file, user) = (directory.path + "/ralph.yml", directory.path + "/user.yml")
            try directory.write("user.yml", Self.user)
            let alone = try #require(WorkspaceConfig.load(files: [file], user: user))
            #expect(alone.maxIterations == 17 && !alone.hasFile)
            try directory.write("ralph.yml", "a: [")
            #expect(WorkspaceConfig.load(files: [file], user: user) == nil)
            try directory.write("ralph.yml", "max_iterations: 3")
            try directory.write("user.yml", "a: [")
            #expect(WorkspaceConfig.load(files: [file], user: user)?.maxIterations == 3)
        }
    }

    @Test(arguments: [("", true), (", import: hat.yml", false)])
    func `what hats import is not certain`(part: String, isCertain: Bool) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("ralph.yml", "hats: {a: {triggers: [x]\(part)}}")
            let layers = ConfigurationLayers(files: [directory.path + "/ralph.yml"])
            let config = WorkspaceConfig.certain(layers, isGiven: true, user: nil, since: .max)
            #expect((config != nil) == isCertain)
        }
    }

    @Test(arguments: [
        ("true", "gone.yml", false), ("true", "builtin:debug", false), ("false", "gone.yml", true),
    ])
    func `hats that only Ralph knows are not certain where their scope counts`(
        _ enforced: String, _ hats: String, _ isCertain: Bool
    ) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("ralph.yml", "event_loop: {enforce_hat_scope: \(enforced)}")
            let given = hats.contains(":") ? hats : directory.path + "/" + hats
            let layers = ConfigurationLayers(files: [directory.path + "/ralph.yml"], hats: given)
            let config = WorkspaceConfig.certain(layers, isGiven: true, user: nil, since: .max)
            #expect((config != nil) == isCertain)
        }
    }
}
