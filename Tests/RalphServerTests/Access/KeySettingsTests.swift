import Foundation
import RalphServer
import RalphTestSupport
import Testing

/// Where the key comes from, and servers that must not start (design 8).
@Suite(.timeLimit(.minutes(1)))
struct KeySettingsTests {
    private let key = "0123456789abcdef-file"

    @Test(arguments: ["\n", "\r\n"])
    func `the first line of a private file is the key`(_ end: String) async throws {
        try await withTemporaryDirectory { directory in
            let path = try file(directory, "  \(key) \(end)second line\(end)", mode: 0o600)

            let fromFile = try configuration(directory) { $0.apiKeyFile = path }.apiKey
            #expect(fromFile == key)
            let environment = ["RALPH_API_KEY": "another-0123456789"]
            let beforeVariable = try configuration(directory, environment) { $0.apiKeyFile = path }.apiKey
            #expect(beforeVariable == key)
        }
    }

    @Test(arguments: [0o640, 0o604, 0o620, 0o602, 0o644, 0o777])
    func `a file that others can read or change is refused`(_ mode: Int) async throws {
        try await withTemporaryDirectory { directory in
            let path = try file(directory, key, mode: mode)
            #expect(throws: ConfigurationProblem.self) {
                try configuration(directory) { $0.apiKeyFile = path }
            }
        }
    }

    @Test(arguments: [
        "\n0123456789abcdef-file", "\r\n0123456789abcdef-file", " \n0123456789abcdef-file", "", "\n", "short",
        "0123456789abcde", "0123456789 abcdef", "0123456789abcdé", "\u{0}",
    ])
    func `a file without a good key is refused`(_ text: String) async throws {
        try await withTemporaryDirectory { directory in
            let path = try file(directory, text, mode: 0o600)
            #expect(throws: ConfigurationProblem.self) {
                try configuration(directory) { $0.apiKeyFile = path }
            }
        }
    }

    @Test func `a first line that is too long is refused, and not cut`() async throws {
        try await withTemporaryDirectory { directory in
            let longest = String(repeating: "k", count: 4096)
            let fits = try file(directory, longest + "\nmore", mode: 0o600)
            let key = try configuration(directory) { $0.apiKeyFile = fits }.apiKey
            #expect(key == longest)
            let path = try file(directory, longest + "k", mode: 0o600)
            let problem = #expect(throws: ConfigurationProblem.self) {
                try configuration(directory) { $0.apiKeyFile = path }
            }
            #expect(problem?.description.contains("more than 4096 bytes") == true)
        }
    }

    @Test func `where the state is does not depend on settings of other things`() async throws {
        try await withTemporaryDirectory { directory in
            let environment = ["RUST_LOG": "loud", "RALPH_API_KEY": "two words", "HOME": directory.path]
            let path = try ServerConfiguration.stateDirectory(
                named: nil, roots: [directory.path], environment: environment)
            #expect(path.hasPrefix(directory.path + "/.local/state/ralph-mobile-server/"))
            let named = try ServerConfiguration.stateDirectory(
                named: "/a/../b", roots: [], environment: ["RALPH_HOME": "/missing"])
            #expect(named == "/b")
            #expect(throws: ConfigurationProblem.self) {
                try ServerConfiguration.stateDirectory(named: "", roots: [], environment: environment)
            }
        }
    }

    @Test(arguments: ["1", "short", " ", "0123456789 abcdef", "0123456789abcdé", "rmd_0123456789abcdef"])
    func `a key from the variable that others could try in no time, or that is none, is refused`(
        _ text: String
    ) async throws {
        try await withTemporaryDirectory { directory in
            let environment = ["RALPH_API_KEY": text]
            #expect(throws: ConfigurationProblem.self) {
                try configuration(directory, environment) { $0.bindAll = true }
            }
        }
    }

    @Test func `blanks around the variable's key are not part of it`() async throws {
        try await withTemporaryDirectory { directory in
            let key = try configuration(directory, ["RALPH_API_KEY": " 0123456789abcdef\n"]) { _ in }.apiKey
            #expect(key == "0123456789abcdef")
        }
    }

    @Test func `what is no file is refused and nothing waits for it`() async throws {
        try await withTemporaryDirectory { directory in
            let pipe = directory.path + "/pipe"
            #expect(mkfifo(pipe, 0o600) == 0)
            for path in [pipe, directory.path, directory.path + "/none", "/dev/zero", ""] {
                #expect(throws: ConfigurationProblem.self, "\(path)") {
                    try configuration(directory) { $0.apiKeyFile = path }
                }
            }
        }
    }

    @Test(arguments: [
        "0.0.0.0", "::", "192.168.1.7", "127.evil.example", "127.0.0.1.nip.io", "localhost.evil",
    ])
    func `an address that others can reach is not open unless it is said twice`(_ host: String) async throws {
        try await withTemporaryDirectory { directory in
            #expect(throws: ConfigurationProblem.self) {
                try configuration(directory) {
                    $0.noAuth = true
                    $0.bind = host.contains("::") ? "[\(host)]" : host
                }
            }
            let open = try configuration(directory) {
                $0.noAuth = true
                $0.iKnow = true
                $0.bindAll = true
            }
            #expect(open.isOpenToAll)
        }
    }

    @Test func `no key and a key do not go together`() async throws {
        try await withTemporaryDirectory { directory in
            #expect(throws: ConfigurationProblem.self) {
                try configuration(directory, ["RALPH_API_KEY": key]) { $0.noAuth = true }
            }
            let open = try configuration(directory) { $0.noAuth = true }
            let known = try configuration(directory) { $0.iKnow = true }
            #expect(open.isOpenToAll)
            #expect(!known.isOpenToAll)
        }
    }

    @Test(arguments: ["", "10.0.0.0/33", "proxy.example", "10.0.0.0/8/8", "::/129"])
    func `a proxy that is no network is refused`(_ text: String) async throws {
        #expect(throws: ConfigurationProblem.self) {
            try configuration(TemporaryDirectory(path: "/")) { $0.trustedProxies = [text] }
        }
    }

    private func file(_ directory: TemporaryDirectory, _ text: String, mode: Int) throws -> String {
        let path = try directory.write("key", text)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    private func configuration(
        _ directory: TemporaryDirectory, _ environment: [String: String] = [:],
        _ change: (inout ServerConfiguration.Flags) -> Void
    ) throws -> ServerConfiguration {
        var flags = ServerConfiguration.Flags()
        flags.roots = [directory.path]
        change(&flags)
        return try ServerConfiguration(flags, environment: environment)
    }
}
