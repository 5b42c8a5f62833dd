import Foundation
import RalphTestSupport
import Testing

extension EndToEnd {
    /// What a newcomer sees first.
    struct DemoTests {
        /// - Parameter isAlone: the server's program is all that is there; without the stand-in beside it a recorded session is
        ///   played.
        @Test(arguments: [false, true])
        func `the demo plays live events within five seconds and leaves nothing behind`(isAlone: Bool)
            async throws
        {
            try await atBest(within: .seconds(5), "the first live event") {
                try await withTemporaryDirectory { place in try await play(isAlone: isAlone, in: place) }
            }
        }

        /// How long it took until there was a live event.
        private func play(isAlone: Bool, in place: TemporaryDirectory) async throws -> Duration {
            let binary = isAlone ? place.path + "/server" : ServerProcess.binary
            if isAlone { try placeServer(at: binary) }
            let start = ContinuousClock.now
            let process = try ServerProcess(
                ["--port", "0", "--demo", "--root", Samples.directory, "--log-level", "warning"],
                in: place, binary: binary)
            let port = try await process.port()
            let root = try #require(try demoRoots(of: process).first)
            #expect(
                // The one that is played, the state and the lock come to the samples.
                try FileManager.default.contentsOfDirectory(atPath: root).count == Samples.names().count
                    + 3)

            // It is said after the line with the port.
            try await eventually(within: .seconds(20), "where to watch") {
                process.output.contains("Watch it live:") && process.output.hasSuffix("\n")
            }
            let address = try #require(
                process.output.split(separator: "\n").last { $0.hasPrefix("Watch it live:") })
            let path = try #require(address.firstRange(of: "/api/sessions/")).lowerBound
            let probe = try HTTPProbe(port: port)
            try await probe.request(String(address[path...]))
            #expect(try await probe.head().status == 200)
            while let frame = try await probe.frame(),
                !frame.comments.contains(where: { $0.hasPrefix("synced") })
            {}
            #expect(try await probe.event() != nil)
            let took = ContinuousClock.now - start

            process.signal(SIGTERM)
            #expect(try await process.exitStatus() == 0)
            #expect(try demoRoots(of: process).isEmpty)
            return took
        }

        @Test func `a demo that is ended before it serves leaves nothing behind`() async throws {
            try await withTemporaryDirectory { place in
                let process = try ServerProcess(
                    ["--port", "0", "--demo", "--root", Samples.directory, "--log-level", "warning"],
                    in: place)
                try await eventually(within: .seconds(20), "the copies") {
                    try !demoRoots(of: process).isEmpty
                }
                process.signal(SIGTERM)

                #expect(try await process.exitStatus() == 0)
                #expect(try demoRoots(of: process).isEmpty)
            }
        }

        @Test(arguments: [false, true])
        func `a demo whose server is killed ends by itself and leaves nothing behind`(isPaused: Bool)
            async throws
        {
            try await withTemporaryDirectory { place in
                let process = try ServerProcess(
                    ["--port", "0", "--demo", "--root", Samples.directory, "--log-level", "warning"],
                    in: place)
                let port = try await process.port()
                try await eventually(within: .seconds(5), "the play") {
                    process.output.contains("Watch it live:") && process.output.hasSuffix("\n")
                }
                let root = try #require(try demoRoots(of: process).first)
                if isPaused { try await pause(process, port, root) }
                process.signal(SIGKILL)
                _ = try await process.exitStatus()

                try await eventually(within: .seconds(20), "the end of the play") {
                    try demoRoots(of: process).isEmpty && commandLines().allSatisfy { !$0.contains(root) }
                }
            }
        }

        /// - Parameter isAlone: without the stand-in nothing starts runs, whatever ralph is on `PATH`.
        @Test(arguments: [false, true])
        func `a run that somebody starts in the demo is played too, and asks no AI`(isAlone: Bool)
            async throws
        {
            try await withTemporaryDirectory { place in
                for real in ["claude", "ralph"] {
                    let program = try place.write("bin/" + real, "#!/bin/sh\n: >\"$HOME/was-asked\"\n")
                    #expect(chmod(program, 0o755) == 0)
                }
                let binary = isAlone ? place.path + "/server" : ServerProcess.binary
                if isAlone { try FileManager.default.copyItem(atPath: ServerProcess.binary, toPath: binary) }
                let process = try ServerProcess(
                    ["--port", "0", "--demo", "--root", Samples.directory, "--log-level", "warning"],
                    environment: ["PATH": place.path + "/bin:/usr/bin:/bin"], in: place, binary: binary)
                let name = "d-human-interact-web"
                let answer = try await start(#"{"working_dir":"\#(name)","prompt":"go"}"#, process)
                let root = try #require(try demoRoots(of: process).first)

                #expect(answer.status == (isAlone ? 500 : 201), "\(answer.text)")
                if !isAlone {
                    let workspace = TemporaryDirectory(path: root + "/" + name)
                    try await eventually(within: .seconds(20), "the play") {
                        try played(in: workspace).contains(#""slice.planned""#)
                    }
                }
                process.signal(SIGTERM)
                #expect(try await process.exitStatus() == 0)
                try await eventually(within: .seconds(20), "the end of the play") {
                    try demoRoots(of: process).isEmpty && commandLines().allSatisfy { !$0.contains(root) }
                }
                #expect(!FileManager.default.fileExists(atPath: place.path + "/was-asked"))
            }
        }

        /// Asks for a run.
        private func start(_ body: String, _ process: ServerProcess) async throws -> HTTPProbe.Response {
            let probe = try HTTPProbe(port: try await process.port())
            try await probe.send(
                "POST /api/sessions HTTP/1.1\r\nHost: localhost\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            return try await probe.response(within: .seconds(30))
        }

        /// What the newest run of a workspace has written.
        private func played(in workspace: TemporaryDirectory) throws -> String {
            let pointer = try String(
                contentsOfFile: workspace.path + "/.ralph/current-events", encoding: .utf8)
            let path = workspace.path + "/" + pointer.trimmingCharacters(in: .whitespacesAndNewlines)
            // A run points to its file before it makes it.
            return String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
        }

        /// Pauses the play and waits until it stands.
        private func pause(_ process: ServerProcess, _ port: Int, _ root: String) async throws {
            let match = try #require(
                process.output.firstMatch(of: /Watch it live:.*(\/api\/sessions\/\w+)\/events/))
            let probe = try HTTPProbe(port: port)
            try await probe.request("\(match.1)/pause", method: "POST")
            #expect([200, 202].contains(try await probe.head().status))
            try await eventually(within: .seconds(30), "the suspended play") {
                FileManager.default.fileExists(atPath: root + "/live-demo/.ralph/suspend-state.json")
            }
        }

        /// What every process was started with, as far as it may be read.
        private func commandLines() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid in
                FileManager.default.contents(atPath: "/proc/\(pid)/cmdline")
                    .map { String(decoding: $0, as: UTF8.self) }
            }
        }

        /// Has the server's program stand at `path` too; a copy of so large a file keeps the disk busy.
        private func placeServer(at path: String) throws {
            do {
                try FileManager.default.linkItem(atPath: ServerProcess.binary, toPath: path)
            } catch {
                // The place may be on another file system.
                try FileManager.default.copyItem(atPath: ServerProcess.binary, toPath: path)
            }
        }

        private func demoRoots(of process: ServerProcess) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: process.temporaryDirectory)
                .filter { $0.hasPrefix("ralph-demo") }.map { process.temporaryDirectory + "/" + $0 }
        }
    }
}
