import Foundation
import RalphControl
import RalphTestSupport
import Testing

@Suite struct ControlSettingsTests {
    @Test func `runs get our environment without what is ours alone`() {
        let own = [
            "PATH": "/bin", "HOME": "/h", "LANG": "C", "ANTHROPIC_API_KEY": "theirs", "RUST_LOG": "debug",
            "RALPH_HOME": "/x", "RALPH_API_KEY": "0123456789abcdef", "RALPH_CONFIG": "y", "ralph_bin": "z",
            "RALPH_WORKSPACE_ROOT": "/w", "COPY": "key 0123456789abcdef", "NOTIFY_SOCKET": "@n",
            "LISTEN_FDS": "1", "CREDENTIALS_DIRECTORY": "/run/c",
        ]

        let given = ControlSettings.childEnvironment(own)

        #expect(Set(given.keys) == ["PATH", "HOME", "LANG", "ANTHROPIC_API_KEY", "RUST_LOG"])
        #expect(given["PATH"] == "/bin")
    }

    @Test func `a key from elsewhere is taken out under whatever name`() {
        let own = ["COPY": "Bearer a-key-of-a-file-123", "OTHER": "a-key", "PATH": "/a"]
        let given = ControlSettings.childEnvironment(own, secrets: ["a-key-of-a-file-123", "a"])

        #expect(given == ["OTHER": "a-key", "PATH": "/a"])
    }

    @Test func `a key that is a common word costs runs none of what they need`() {
        let own = ["HOME": "/d/developer", "PATH": "/d/developer/bin:/bin", "USER": "developer"]
        let given = ControlSettings.childEnvironment(
            own.merging(["RALPH_API_KEY": "developer", "COPY": "x developer"]) { $1 })

        #expect(given == own.filter { $0.key != "USER" })
    }

    @Test func `a key too short to be one hides nothing else`() {
        let given = ControlSettings.childEnvironment(["RALPH_API_KEY": "a", "PATH": "/a"])

        #expect(given == ["PATH": "/a"])
    }

    @Test func `the program is the flag's, the variable's, or the first on the path`() async throws {
        try await withTemporaryDirectory { directory in
            let plain = try directory.write("a/ralph", "")
            let program = try directory.write("b/ralph", "#!/bin/sh\n")
            #expect(chmod(program, 0o755) == 0)
            let path = "relative:\(directory.path)/none:\(directory.path)/a:\(directory.path)/b:/bin"
            let environment = ["PATH": path, "RALPH_BIN": "/opt/ralph"]

            #expect(ControlSettings.resolve(flag: "/x/../y/ralph", environment: environment) == "/y/ralph")
            #expect(ControlSettings.resolve(flag: "ralph", environment: environment) == program)
            #expect(ControlSettings.resolve(flag: nil, environment: environment) == "/opt/ralph")
            #expect(
                ControlSettings.resolve(flag: "", environment: ["PATH": path, "RALPH_BIN": ""]) == program)
            #expect(ControlSettings.resolve(flag: plain, environment: [:]) == plain)
            #expect(ControlSettings.resolve(flag: nil, environment: ["PATH": directory.path + "/a"]) == nil)
            #expect(ControlSettings.resolve(flag: nil, environment: [:]) == nil)
            let here = FileManager.default.currentDirectoryPath
            #expect(ControlSettings.resolve(flag: "./my", environment: [:]) == here + "/my")
            #expect(ControlSettings.resolve(flag: "~nobody-at-all", environment: [:]) == "~nobody-at-all")
        }
    }

    @Test(arguments: [("ralph", ""), ("", "ralph"), ("ralph", "/opt/ralph")])
    func `a name is one on the path, whenever it comes there, and no file of the working directory`(
        _ flag: String, _ variable: String
    ) async throws {
        try await withTemporaryDirectory { directory in
            let environment = ["PATH": directory.path + ":.:relative", "RALPH_BIN": variable]
            let named = ControlSettings.resolve(flag: flag, environment: environment)
            let settings = ControlSettings(ralph: named, runs: "/", environment: environment)
            #expect(named == "ralph")
            #expect(settings.presentRalph == nil)
            #expect(settings.programProblem == "ralph was not found on PATH")

            let program = try directory.write("ralph", "#!/bin/sh\n")
            #expect(chmod(program, 0o755) == 0)
            #expect(settings.presentRalph == program)
            #expect(settings.programProblem == nil)
        }
    }
}
