import Foundation
import RalphSessions
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct LoopReaderTests {
    @Test func `loops in a directory that may not be read are not none`() async throws {
        try await withTemporaryDirectory { directory in
            let session = SessionDirectory(workspace: directory.path)
            var records = try LoopReader.records(session)
            #expect(records.isEmpty)
            try directory.write(".ralph/loops.json", #"{"loops":[]}"#)
            records = try LoopReader.records(session)
            #expect(records.isEmpty)
            try #require(chmod(session.path, 0) == 0)

            withoutRights {
                let error = #expect(throws: Problem.self) { try LoopReader.records(session) }
                #expect(error?.error == "file_unreadable: Permission denied")
            }
            try #require(chmod(session.path, 0o755) == 0)
        }
    }

    @Test func `something else in the place of the list is told`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write(".ralph/loops.json/file", "")
            let error = #expect(throws: Problem.self) {
                try LoopReader.records(SessionDirectory(workspace: directory.path))
            }
            #expect(error?.error == "file_unreadable: it is no regular file, or has more than 1 MiB")
        }
    }

    @Test func `a list that is being rewritten is waited for`() async throws {
        try await withServer { server in
            let file = try server.root.write(".ralph/loops.json", "")
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    let (first, second) = (#"{"loops":[{"id":"fair-rose","pi"#, #"d":1}]}"#)
                    let descriptor = open(file, O_WRONLY)
                    defer { close(descriptor) }
                    while !Task.isCancelled {
                        ftruncate(descriptor, 0)
                        pwrite(descriptor, first, first.utf8.count, 0)
                        await Task.yield()
                        pwrite(descriptor, second, second.utf8.count, off_t(first.utf8.count))
                        await Task.yield()
                    }
                }
                defer { group.cancelAll() }
                for _ in 0..<200 {
                    let response = try await server.get("/api/loops")
                    #expect(response.status == 200)
                }
            }
        }
    }
}
