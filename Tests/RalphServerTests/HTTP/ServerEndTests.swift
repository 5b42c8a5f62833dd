#if os(Linux)
import Foundation
import RalphTestSupport
import Testing

@testable import RalphServer

/// What a server gives back when it ends.
@Suite(.timeLimit(.minutes(1)))
struct ServerEndTests {
    @Test func `a server that has ended keeps no descriptor and no queue of the kernel`() async throws {
        // The kernel may give none, or none are left: the server goes on without.
        let hasQueue = SharedSend().isQueued
        try await serve(hasQueue: hasQueue)  // what a process opens once, it has then
        let (descriptors, queues) = try (Self.descriptors(), Self.queues())

        for _ in 0..<3 { try await serve(hasQueue: hasQueue) }

        try await eventually(within: .seconds(10), "what the servers had") {
            try Self.descriptors() <= descriptors && Self.queues() <= queues
        }
    }

    private func serve(hasQueue: Bool) async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 1)
            // Not running, so that nothing is ended; but what looks after its runs is there now.
            _ = try await server.send("DELETE", "/api/sessions/\(id)")
            #expect(try await server.get("/health").status == 200)
            #expect(try Self.queues() > 0 || !hasQueue, "none is seen of a server that runs")
        }
    }

    private static func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    private static func queues() throws -> Int {
        // Not by its size, which is 0 for these files: only the first page would be read.
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps"))
        let maps = String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
        return maps.components(separatedBy: "[aio]").count - 1
    }
}
#endif
