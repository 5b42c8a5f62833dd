import Foundation
import Logging
import RalphServer
import RalphTestSupport
import Synchronization

/// A real server in this process, on a free port of the loopback, with a root of its own.
struct RunningServer: Sendable {
    let port: Int
    let root: TemporaryDirectory
    /// What the server said on standard output.
    let said: Said

    /// Lines that came in from other threads.
    final class Said: Sendable {
        private let lines = Mutex<[String]>([])

        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }

    func probe() throws -> HTTPProbe { try HTTPProbe(port: port) }

    /// One request on a connection of its own.
    func get(_ target: String, headers: [String: String] = [:]) async throws -> HTTPProbe.Response {
        let probe = try probe()
        try await probe.request(target, headers: headers)
        return try await probe.response()
    }

    /// Opens a stream and reads its head.
    func stream(_ target: String, headers: [String: String] = [:]) async throws -> HTTPProbe {
        let probe = try probe()
        try await probe.request(target, headers: headers)
        let head = try await probe.head()
        guard head.status == 200 else { throw Unexpected(status: head.status) }
        return probe
    }

    /// All events that a request gives before its stream ends.
    func events(_ target: String, headers: [String: String] = [:]) async throws -> [HTTPProbe.Frame] {
        let probe = try await stream(target, headers: headers)
        return try await probe.eventsToEnd()
    }

    /// Makes a workspace whose events file holds `count` numbered lines, and gives its session's id once the
    /// server has read them all.
    func session(_ name: String, lines count: Int) async throws -> String {
        try root.write("\(name)/.ralph/events.jsonl", Self.lines(1...max(1, count), when: count > 0))
        return try await waitForSession(name, events: count)
    }

    /// Waits until the session of `workspace` is there with `events` events or more.
    func waitForSession(_ workspace: String, events: Int) async throws -> String {
        var id = ""
        try await eventually(within: .seconds(10), "session \(workspace) with \(events) events") {
            guard let list = try await get("/api/sessions").json() as? [[String: Any]] else { return false }
            let found = list.first { ($0["working_dir"] as? String)?.hasSuffix("/" + workspace) == true }
            id = found?["id"] as? String ?? ""
            return found.map { ($0["last_seq"] as? Int ?? -1) >= events } ?? false
        }
        return id
    }

    /// Appends numbered lines to the session's events file.
    func append(_ name: String, _ numbers: ClosedRange<Int>) throws {
        try root.append("\(name)/.ralph/events.jsonl", Self.lines(numbers, when: true))
    }

    /// Appends numbered lines of about `bytes` each, one write each.
    func appendLarge(_ name: String, _ numbers: ClosedRange<Int>, bytes: Int) throws {
        let padding = String(repeating: "x", count: bytes)
        for number in numbers {
            try root.append(
                "\(name)/.ralph/events.jsonl",
                #"{"topic":"big","ts":"2026-11-21T03:20:36Z","payload":"\#(number) \#(padding)"}"# + "\n")
        }
    }

    /// Lines that say their number and bring no derived events with them.
    static func lines(_ numbers: ClosedRange<Int>, when isWanted: Bool) -> String {
        guard isWanted else { return "" }
        return numbers.map {
            #"{"topic":"note.\#($0 % 2 == 0 ? "even" : "odd")","ts":"2026-11-21T03:20:36.\#(100_000 + $0)Z","payload":"n\#($0)"}"#
                + "\n"
        }.joined()
    }
}

/// A response that a test did not ask for.
struct Unexpected: Error {
    let status: Int
}

/// Runs `body` against a server on an empty root.
func withServer(
    _ configure: (inout ServerConfiguration) -> Void = { _ in },
    _ body: @Sendable @escaping (RunningServer) async throws -> Void
) async throws {
    try await withTemporaryDirectory { directory in
        try await withServer(in: directory, configure, body)
    }
}

/// Runs `body` against a server that finds in its store what another one has put there while `before` ran: none of that is
/// in memory.
func withRestartedServer(
    _ configure: (inout ServerConfiguration) -> Void,
    before: @Sendable @escaping (RunningServer) async throws -> Void,
    _ body: @Sendable @escaping (RunningServer) async throws -> Void
) async throws {
    try await withTemporaryDirectory { directory in
        try await withServer(in: directory, configure, before)
        try await withServer(in: directory, configure, body)
    }
}

/// Runs `body` against a server on `directory`, whose state lies in `.state` there.
func withServer(
    in directory: TemporaryDirectory, environment more: [String: String] = [:],
    logger: Logger = TestLogger.make(),
    _ configure: (inout ServerConfiguration) -> Void = { _ in },
    _ body: @Sendable @escaping (RunningServer) async throws -> Void
) async throws {
    var configuration = ServerConfiguration()
    configuration.port = 0
    configuration.roots = [directory.path]
    configuration.stateDirectory = directory.path + "/.state"
    configuration.http.headSeconds = 30
    // Requests come as soon as it listens, and it is to know its sessions then, however busy the machine is.
    configuration.firstLookPatience = .seconds(60)
    configure(&configuration)
    // What runs that the server starts need to find their programs, and nothing of the developer's own.
    let own = ProcessInfo.processInfo.environment
    let environment = ["PATH": own["PATH"] ?? "/usr/bin:/bin", "HOME": directory.path].merging(more) { $1 }
    let server = try RalphServer(configuration, environment: environment, logger: logger)
    let said = RunningServer.Said()
    try await withRunning("the server") {
        try await server.run(signals: nil) { said.add($0) }
    } _: {
        try await eventually(within: .seconds(20), "server start") { server.port != nil }
        try await body(RunningServer(port: server.port ?? 0, root: directory, said: said))
    }
    TestLogs.keepAudit(of: configuration.stateDirectory ?? "")
}
