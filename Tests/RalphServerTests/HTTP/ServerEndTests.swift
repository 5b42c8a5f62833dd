#if os(Linux)
import Foundation
import RalphTestSupport
import Testing

/// What a server gives back when it ends.
@Suite(.timeLimit(.minutes(1)))
struct ServerEndTests {
    @Test func `a server that has ended keeps no descriptor and no queue of the kernel`() async throws {
        try await serve()  // what a process opens once, it has then
        let (descriptors, queues) = try (Self.descriptors(), Self.queues())

        for _ in 0..<3 { try await serve() }

        try await eventually(within: .seconds(10), "what the servers had") {
            try Self.descriptors() <= descriptors && Self.queues() <= queues
        }
    }

    private func serve() async throws {
        try await withServer { server in
            let answer = try await server.get("/health")
            #expect(answer.status == 200)
        }
    }

    private static func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    private static func queues() throws -> Int {
        try String(contentsOfFile: "/proc/self/maps", encoding: .utf8).components(separatedBy: "[aio]").count
    }
}
#endif
