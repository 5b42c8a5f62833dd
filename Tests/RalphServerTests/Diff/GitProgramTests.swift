import Foundation
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct GitProgramTests {
    @Test func `without git the answer says what to install`() async throws {
        try await withTemporaryDirectory { directory in
            _ = try await GitScene("w", in: directory)
            try await withServer(in: directory, environment: ["PATH": directory.path]) { server in
                let id = try await server.waitForSession("w", events: 1)
                let response = try await server.get("/api/sessions/\(id)/diff")
                #expect(response.status == 503)
                #expect(response.text.contains(#""error":"git_missing""#))
                #expect(response.text.contains("apt-get install git"))
            }
        }
    }

    @Test func `new files that go away while git looks take no other out of the patch`() async throws {
        try await withTemporaryDirectory { directory in
            _ = try await GitScene("w", in: directory)
            try directory.write("w/stays.txt", "one\n")
            for number in 1...3 { try directory.write("w/goes\(number).txt", "two\n") }
            let git = try #require(
                ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":")
                    .map { $0 + "/git" }.first { FileManager.default.isExecutableFile(atPath: $0) })
            try directory.write(
                "bin/git",
                """
                #!/bin/sh
                for word; do
                    [ "$word" = add ] || continue
                    for file in \(directory.path)/w/goes*; do rm -f "$file"; break; done
                done
                exec \(git) "$@"

                """)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: directory.path + "/bin/git")
            let path = "\(directory.path)/bin:/usr/bin:/bin"
            try await withServer(in: directory, environment: ["PATH": path]) { server in
                let id = try await server.waitForSession("w", events: 1)
                let diff = try await server.get("/api/sessions/\(id)/diff?patch=true").object()
                #expect((diff["patch"] as? String)?.contains("+one") == true)
                #expect(diff["patch_truncated"] as? Bool == false)
                let paths = (diff["files"] as? [[String: Any]] ?? []).map { $0["path"] as? String }
                #expect(paths.contains("stays.txt") && !paths.contains { $0?.hasPrefix("goes") == true })
            }
        }
    }

    /// Two work until their deadline, so the third waits in vain.
    @Test func `a git that hangs is ended, and who waits too long is told`() async throws {
        try await withTemporaryDirectory { directory in
            _ = try await GitScene("w", in: directory)
            try directory.write("bin/git", "#!/bin/sh\n/usr/bin/mkfifo $0.$$; exec /bin/cat $0.$$\n")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: directory.path + "/bin/git")
            try await withServer(in: directory, environment: ["PATH": directory.path + "/bin"]) { server in
                let id = try await server.waitForSession("w", events: 1)
                let texts = try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<3 {
                        group.addTask {
                            let probe = try server.probe()
                            try await probe.request("/api/sessions/\(id)/diff")
                            return try await probe.response(within: .seconds(30)).text
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(texts.count { $0.contains(#""error":"diff_timeout""#) } == 2)
                #expect(texts.count { $0.contains(#""error":"busy""#) } == 1)
            }
            #expect(ProcessSnapshot.all().allSatisfy { !$0.directory.hasPrefix(directory.path + "/w") })
        }
    }
}
