import Foundation
import Logging
import NIOHTTP1
import NIOPosix
import RalphTestSupport
import RalphWire
import Synchronization
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct AuditLogTests {
    /// Runs `body` with a log on `path` and gives its lines when it has ended.
    private func withLog(
        _ path: String, runs: Bool = false, keep: (@Sendable (String) -> Void)? = nil,
        _ body: @Sendable @escaping (AuditLog) async throws -> Void
    ) async throws -> [[String: Any]] {
        let threads = NIOThreadPool(numberOfThreads: 1)
        threads.start()
        let log = AuditLog(
            file: AuditFile(path: path), rules: AuditRules(RalphServer.makeTable(), secrets: []),
            threads: threads, logger: TestLogger.make(keep))
        try await withThrowingTaskGroup(of: Void.self) { group in
            if runs { group.addTask { try await log.run() } }
            try await body(log)
            group.cancelAll()
        }
        log.note("server.stop")
        await log.finish()
        try await threads.shutdownGracefully()
        return try Self.lines(path)
    }

    private static func lines(_ path: String) throws -> [[String: Any]] {
        let data = FileManager.default.contents(atPath: path) ?? Data()
        return try data.split(separator: 0x0A).map {
            try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any] ?? [:]
        }
    }

    private static func actions(_ lines: [[String: Any]]) -> [String] {
        lines.compactMap { $0["action"] as? String }
    }

    @Test func `what is noted is written while the server runs, and the rest at its end`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path + "/audit.jsonl"
            let lines = try await withLog(path, runs: true) { log in
                log.note("server.start")
                try await eventually(within: .seconds(10), "a line") { try Self.lines(path).count == 1 }
            }

            #expect(Self.actions(lines) == ["server.start", "server.stop"])
            #expect(lines.compactMap { $0["seq"] as? Int } == [1, 2])
        }
    }

    @Test func `a full queue drops what comes, counts it and says so when it goes on`() async throws {
        try await withTemporaryDirectory { directory in
            let lines = try await withLog(directory.path + "/audit.jsonl") { log in
                for number in 0..<AuditLog.capacity + 10 { log.note("device.paired", target: "\(number)") }
                #expect(log.dropped.load(ordering: .relaxed) == 10)
            }

            #expect(lines.count == AuditLog.capacity + 1)
            #expect(lines.last?["action"] as? String == "audit.dropped")
            // The word of the end came when the queue was full, too.
            #expect(lines.last?["count"] as? Int == 11)
        }
    }

    @Test func `a place that cannot be written is counted and tried again`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path + "/later/audit.jsonl"
            let told = Mutex<[String]>([])
            let keep = { @Sendable line in told.withLock { $0.append(line) } }
            let lines = try await withLog(path, runs: true, keep: keep) { log in
                log.note("server.start")
                try await eventually(within: .seconds(10), "a failure") {
                    log.failures.load(ordering: .relaxed) > 0
                }
                try directory.write("later/x", "")
                try await eventually(within: .seconds(10), "a line") { try Self.lines(path).count == 1 }
                try await eventually(within: .seconds(10), "word of it") {
                    told.withLock { $0.contains { $0.contains("The audit log is written again") } }
                }
            }

            #expect(Self.actions(lines) == ["server.start", "server.stop"])
            #expect(told.withLock { $0.count { $0.contains("cannot be written") } } == 1)
        }
    }

    @Test func `refusals that repeat themselves are told with their count at the end`() async throws {
        try await withTemporaryDirectory { directory in
            let lines = try await withLog(directory.path + "/audit.jsonl") { log in
                let request = AuditRequest(
                    method: .GET, path: RequestPath("/api/health"), route: 2,
                    caller: Caller(peer: "10.0.0.9", access: .open, scope: nil))
                for _ in 1...5 { log.note(request, status: 401, opensStream: false) }
            }

            #expect(lines.map { $0["count"] as? Int } == [nil, nil, 4])
            #expect(lines.map { $0["who"] as? String } == ["nobody", "server", "nobody"])
        }
    }

    @Test func `streams that a device opens again and again are told with their count`() async throws {
        try await withTemporaryDirectory { directory in
            let table = RalphServer.makeTable()
            let route = try #require(table.paths.firstIndex(of: "/api/sessions/{id}/events"))
            let device = try #require(DeviceID("0123456789ab"))
            let lines = try await withLog(directory.path + "/audit.jsonl") { log in
                for number in 1...50 {
                    let request = AuditRequest(
                        method: .GET, path: RequestPath("/api/sessions/s\(number % 2)/events"), route: route,
                        caller: Caller(peer: "10.0.0.9", access: .device(device), scope: .watch))
                    log.note(request, status: 200, opensStream: true)
                }
            }

            let openings = lines.filter { $0["who"] as? String == "device" }
            #expect(openings.map { $0["count"] as? Int } == [nil, nil, 24, 24])
            #expect(Set(openings.compactMap { $0["target"] as? String }) == ["s0", "s1"])
        }
    }
}
