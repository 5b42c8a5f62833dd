import Foundation
import Logging
import RalphFeed
import RalphTestSupport
import Testing

@testable import RalphServer

@Suite struct StateDirectoryTests {
    @Test func `a minted key is kept, for its owner alone`() async throws {
        try await withTemporaryDirectory { place in
            let state = try StateDirectory(path: place.path + "/state")
            let (key, isNew) = try state.key()

            #expect(isNew && key.utf8.count >= 32)
            #expect(try place.mode("state/api-key") == 0o600)
            let again = try state.key()
            // Whoever minted it may have failed before anybody saw it.
            #expect(again.key == key && again.isNew)
            state.noteKeyShown()
            #expect(try state.key() == (key, false))
        }
    }

    @Test func `a key that cannot be read is not replaced`() async throws {
        try await withTemporaryDirectory { place in
            let state = try StateDirectory(path: place.path + "/state")
            let key = try state.key().key
            #expect(chmod(state.keyFile, 0) == 0 && chmod(state.path, 0o755) == 0)

            let problem = withoutRights { #expect(throws: ConfigurationProblem.self) { try state.key() } }
            #expect(problem?.description.contains("cannot be read") == true)
            #expect(chmod(state.keyFile, 0o600) == 0)
            #expect(try state.key().key == key)
        }
    }

    @Test(arguments: [
        String(repeating: "\0", count: 65), String(repeating: "abc def ", count: 8) + "\n",
        String(repeating: "ä", count: 40),
    ])
    func `a key that nobody can send is not taken, and not replaced`(_ text: String) async throws {
        try await withTemporaryDirectory { place in
            let state = try StateDirectory(path: place.path + "/state")
            try place.write("state/api-key", text)
            #expect(chmod(state.keyFile, 0o600) == 0)

            let problem = #expect(throws: ConfigurationProblem.self) { try state.key() }
            #expect(problem?.description.contains("visible ASCII characters") == true)
            #expect(try String(contentsOfFile: state.keyFile, encoding: .utf8) == text)
        }
    }

    @Test func `the first line is the key, and an empty file holds none`() async throws {
        try await withTemporaryDirectory { place in
            let state = try StateDirectory(path: place.path + "/state")
            let line = String(repeating: "0123456789abcdef", count: 2)
            try place.write("state/api-key", "\n\(line) \r\nsecond line\n")
            #expect(chmod(state.keyFile, 0o600) == 0)
            #expect(try state.key() == (line, false))
            try place.write("state/api-key", "")
            #expect(chmod(state.keyFile, 0o600) == 0)
            #expect(try state.key().isNew)
        }
    }

    @Test func `a path is too long where SQLite could not open the store, and not before`() async throws {
        try await withTemporaryDirectory { place in
            let longest = StateDirectory.maximumPathBytes
            var path = place.path
            while path.utf8.count < longest - 101 { path += "/" + String(repeating: "s", count: 100) }
            path += "/" + String(repeating: "e", count: longest - path.utf8.count - 1)
            let state = try StateDirectory(path: path)
            let feed = try EventFeed(FeedConfiguration(path: state.store), logger: Logger(label: "test"))
            feed.close()

            let problem = #expect(throws: ConfigurationProblem.self) { try StateDirectory(path: path + "x") }
            #expect(problem?.description.contains("path of \(longest + 1) bytes") == true)
            #expect(!FileManager.default.fileExists(atPath: path + "x"))
            #expect(symlink(path, place.path + "/short") == 0)
            #expect(throws: ConfigurationProblem.self) { try StateDirectory(path: place.path + "/short/x") }
        }
    }

    @Test func `a path that is not UTF-8 is refused, and one with the character that stands for that is not`()
        async throws
    {
        try await withTemporaryDirectory { place in
            let path = place.path + "/a\u{FFFD}"
            func configuration() throws -> ServerConfiguration {
                var flags = ServerConfiguration.Flags()
                flags.roots = [path]
                return try ServerConfiguration(flags, environment: [:])
            }
            for make in [{ _ = try StateDirectory(path: path) }, { _ = try configuration() }] {
                let problem = #expect(throws: ConfigurationProblem.self, performing: make)
                #expect(problem?.description.contains("not UTF-8") == true)
            }
            try place.write("a\u{FFFD}/w/.ralph/current-events", "")
            #expect(chmod(path, 0o700) == 0)
            #expect(try StateDirectory(path: path).path.hasSuffix("/a\u{FFFD}"))
            #expect(try configuration().roots.count == 1)
        }
    }

    @Test(arguments: [
        (["HOME": "/h"], "/h/.local/state"), (["HOME": "/h", "XDG_STATE_HOME": "/x"], "/x"),
        (["HOME": "/h", "XDG_STATE_HOME": "x"], "/h/.local/state"),
        (["HOME": "/h", "XDG_STATE_HOME": ""], "/h/.local/state"),
    ])
    func `the default follows the rules for base directories`(_ environment: [String: String], _ base: String)
    {
        let path = ServerConfiguration.defaultStateDirectory(root: "/r", environment: environment)
        #expect(path.hasPrefix(base + "/ralph-mobile-server/"))
    }

    @Test(arguments: [[:], ["HOME": ""]])
    func `without a home in the environment it is the user's`(_ environment: [String: String]) throws {
        let home = String(cString: try #require(getpwuid(getuid())).pointee.pw_dir)
        let path = ServerConfiguration.defaultStateDirectory(root: "/r", environment: environment)
        #expect(path.hasPrefix(home + "/.local/state/"))
    }

    @Test func `the system's reason is found in whatever an error wraps it`() {
        let full = NSError(domain: NSPOSIXErrorDomain, code: Int(ENOSPC))
        let errors: [any Error] = [
            POSIXError(.ENOSPC), full,
            NSError(domain: NSCocoaErrorDomain, code: 640, userInfo: [NSUnderlyingErrorKey: full]),
            CocoaError(.fileWriteOutOfSpace, userInfo: [NSUnderlyingErrorKey: POSIXError(.ENOSPC)]),
        ]

        #expect(errors.map(SystemReason.text) == errors.map { _ in "No space left on device" })
        #expect(SystemReason.text(ConfigurationProblem("no")) == nil)
    }

    @Test func `a key that cannot be stored says why`() async throws {
        try await withTemporaryDirectory { place in
            let state = try StateDirectory(path: place.path + "/state")
            try place.write("state/api-key/in the way", "")

            let problem = #expect(throws: ConfigurationProblem.self) { try state.key() }
            #expect(
                problem?.description == "The API key cannot be stored in \(state.keyFile): Is a directory.")
        }
    }
}
