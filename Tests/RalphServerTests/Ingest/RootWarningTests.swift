import RalphTestSupport
import Synchronization
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct RootWarningTests {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
        func count(_ text: String) -> Int { all.withLock { lines in lines.count { $0.contains(text) } } }
    }

    @Test func `a root that is a session directory itself is told of at the start`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("w/.ralph/events.jsonl", "")
            let lines = Lines()
            let logger = TestLogger.make { line in lines.all.withLock { $0.append(line) } }
            try await withServer(in: directory, logger: logger) {
                $0.roots = [directory.path + "/w/.ralph"]
            } _: { _ in
                #expect(lines.count("directory=\(directory.path)/w ") == 1)
            }
        }
    }

    @Test func `a root that cannot be read is told of once and again when it can`() async throws {
        try await withTemporaryDirectory { directory in
            let lines = Lines()
            let logger = TestLogger.make { line in lines.all.withLock { $0.append(line) } }
            let roots = (1..<40).map { "\(directory.path)/missing-\($0)" } + [directory.path + "/later"]
            try await withServer(in: directory, logger: logger) {
                $0.roots = [directory.path] + roots
                $0.rescan = .milliseconds(50)
            } _: { server in
                try await eventually(within: .seconds(10), "warning") {
                    lines.count("A root cannot be read") == 40
                }
                try directory.write("later/w/.ralph/events.jsonl", #"{"topic":"a"}"# + "\n")
                _ = try await server.waitForSession("later/w", events: 1)
                try await eventually(within: .seconds(10), "notice") {
                    lines.count("A root can be read again") == 1
                }
                #expect(lines.count("A root cannot be read") == 40)
            }
        }
    }
}
