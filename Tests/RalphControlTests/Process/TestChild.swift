import Foundation
import RalphTestSupport
import Testing

@testable import RalphControl

/// A child of the test in an own session, with its output in files of a directory.
struct TestChild {
    let pid: Int32
    let handle: ProcessHandle
    var identity: ProcessIdentity { handle.identity }

    /// Starts `/bin/sh -c script` below `directory`, or another program.
    init(
        _ script: String, in directory: TemporaryDirectory, program: [String]? = nil,
        environment: [String: String] = [:]
    ) throws {
        let words = program ?? ["/bin/sh", "-c", script]
        let name = UUID().uuidString
        let output = try RunFiles.create("\(directory.path)/\(name).out")
        defer { close(output) }
        let errors = try RunFiles.create("\(directory.path)/\(name).err")
        defer { close(errors) }
        let child = ChildProcess(
            program: words[0], arguments: Array(words.dropFirst()),
            environment: environment.merging(["PATH": "/usr/bin:/bin"]) { first, _ in first },
            directory: directory.path)
        pid = try child.spawn(output: output, errors: errors)
        let identity = try #require(ProcessIdentity(child: pid))
        handle = try #require(ProcessHandle(identity))
    }
}

/// Runs `body` with a directory and a way to start children in it; nothing of them is left afterwards.
func withChildren(
    _ body: (TemporaryDirectory, (String, [String: String]) throws -> TestChild) async throws -> Void
) async throws {
    try await withTemporaryDirectory { directory in
        var children: [TestChild] = []
        var failure: (any Error)?
        do {
            try await body(directory) { script, environment in
                let child = try TestChild(script, in: directory, environment: environment)
                children.append(child)
                return child
            }
        } catch {
            failure = error
        }
        for child in children { _ = await ProcessRemoval.remove(child.handle) }
        if let failure { throw failure }
    }
}

extension TemporaryDirectory {
    /// The number that a script has written to `name`.
    func pid(_ name: String) async throws -> Int32 {
        var pid: Int32?
        try await eventually(within: .seconds(10), name) {
            let text = try String(contentsOfFile: path + "/" + name, encoding: .utf8)
            pid = text.hasSuffix("\n") ? Int32(text.dropLast()) : nil
            return pid != nil
        }
        return try #require(pid)
    }
}
