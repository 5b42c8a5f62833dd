import Foundation
import RalphControl
import RalphTestSupport
import Testing

/// Where runs and merges find `ralph` by its name.
@Suite struct RalphPathTests {
    private func program(_ directory: TemporaryDirectory, _ name: String, _ text: String = "") throws
        -> String
    {
        let path = try directory.write(name, text)
        #expect(chmod(path, 0o755) == 0)
        return path
    }

    private func path(_ ralph: String?, _ path: String?) -> String? {
        let environment = path.map { ["PATH": $0] } ?? [:]
        return ControlSettings(ralph: ralph, runs: "/", environment: environment).ralphEnvironment["PATH"]
    }

    @Test func `a program off the path hides no other, and comes before another of its name`() async throws {
        try await withTemporaryDirectory { directory in
            let ours = try program(directory, "ours/ralph")
            _ = try program(directory, "theirs/ralph")
            let (place, theirs) = (directory.path + "/ours", directory.path + "/theirs")
            #expect(path(ours, directory.path) == "\(directory.path):\(place)")
            #expect(path(ours, "\(theirs):\(place)") == "\(place):\(theirs):\(place)")
            #expect(path(ours, nil) == "/bin:/usr/bin:\(place)")
            #expect(path(ours, "") == place)
        }
    }

    @Test func `a script finds another of its name, and not itself`() async throws {
        try await withTemporaryDirectory { directory in
            let ours = try program(directory, "ours/ralph", "#!/bin/sh\nexec ralph\n")
            let (place, theirs) = (directory.path + "/ours", directory.path + "/theirs")
            #expect(path(ours, theirs) == "\(theirs):\(place)")
            _ = try program(directory, "theirs/ralph")
            #expect(path(ours, theirs) == theirs)
        }
    }

    @Test func `a path that leads to the program stays as it is`() async throws {
        try await withTemporaryDirectory { directory in
            let ours = try program(directory, "ours/ralph")
            let other = try program(directory, "other/mine")
            try FileManager.default.createDirectory(
                atPath: directory.path + "/links", withIntermediateDirectories: false)
            try FileManager.default.createSymbolicLink(
                atPath: directory.path + "/links/ralph", withDestinationPath: ours)
            for place in ["ours", "links"] {
                #expect(path(ours, "/bin:\(directory.path)/\(place)") == "/bin:\(directory.path)/\(place)")
            }
            #expect(path("ralph", directory.path + "/ours") == directory.path + "/ours")
            // It is called otherwise, or is not there.
            #expect(path(other, "/bin") == "/bin")
            #expect(path(nil, "/nowhere") == "/nowhere")
        }
    }

    @Test func `a directory that would be two in a path is left out`() async throws {
        try await withTemporaryDirectory { directory in
            let ours = try program(directory, "a:b/ralph")
            #expect(path(ours, "/bin") == "/bin")
        }
    }
}
