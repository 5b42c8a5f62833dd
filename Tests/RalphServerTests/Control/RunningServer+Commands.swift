import Foundation
import RalphServer
import RalphTestSupport

extension RunningServer {
    /// One request with a body, on a connection of its own; a stop may take its time.
    func send(
        _ method: String, _ target: String, _ body: String = "", headers: [String: String] = [:]
    ) async throws -> HTTPProbe.Response {
        let probe = try probe()
        let lines = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
        try await probe.send(
            "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\(lines)"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return try await probe.response(within: .seconds(30))
    }

    func post(_ target: String, _ body: String = "", headers: [String: String] = [:]) async throws
        -> HTTPProbe.Response
    {
        try await send("POST", target, body, headers: headers)
    }

    /// The status object of a session.
    func status(_ id: String) async throws -> [String: Any] {
        try await get("/api/sessions/\(id)/status").object()
    }

    /// Waits until a member of the status says `value`.
    func waitFor(_ id: String, _ member: String, _ value: String, within limit: Duration = .seconds(20))
        async throws
    {
        try await eventually(within: limit, "\(member) \(value)") {
            try await status(id)[member] as? String == value
        }
    }

    /// Starts a run in `project` and gives its session's id.
    func start(_ body: String = #"{"working_dir":"project","prompt":"quagga go"}"#) async throws -> String {
        let response = try await post("/api/sessions", body)
        guard response.status == 201 else { throw Refused(text: response.text) }
        return try response.object()["id"] as? String ?? ""
    }

    /// The topics of a session's newest events, oldest first.
    func topics(_ id: String) async throws -> [String] {
        let page = try await get("/api/sessions/\(id)/history?limit=1000").object()
        return (page["events"] as? [[String: Any]] ?? []).compactMap { $0["topic"] as? String }
    }

    /// The commands on record, oldest first, as `kind outcome`.
    func commands(_ id: String) async throws -> [String] {
        let page = try await get("/api/sessions/\(id)/commands").object()
        return (page["commands"] as? [[String: Any]] ?? []).reversed().map {
            "\($0["kind"] as? String ?? "") \($0["outcome"] as? String ?? "")"
        }
    }
}

/// A command was not carried out.
struct Refused: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}

/// Runs `body` with a workspace `project` and a server whose root is the directory around it.
func withControl(
    steps: String = "always:\n  wait-for .ralph-go\n  say working\n  emit slice.planned next\n",
    _ change: (inout StandInSetup) -> Void = { _ in },
    configure: (inout ServerConfiguration) -> Void = { _ in },
    _ body: @Sendable @escaping (RunningServer, WorkspaceHandle) async throws -> Void
) async throws {
    var setup = StandInSetup(steps: steps)
    change(&setup)
    try await withStandInWorkspace(setup) { workspace in
        let handle = WorkspaceHandle(path: workspace.path, outside: workspace.outside)
        try await withServer(
            in: workspace.outside,
            {
                $0.ralph = StandIn.ralph
                $0.rescan = .milliseconds(500)
                configure(&$0)
            }
        ) { server in try await body(server, handle) }
    }
}

/// What of a ``StandInWorkspace`` can go to another task.
struct WorkspaceHandle: Sendable {
    let path: String
    let outside: TemporaryDirectory

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path + "/" + name) }

    func put(_ name: String, _ text: String = "") throws { try outside.write("project/" + name, text) }

    func remove(_ name: String) throws { try outside.remove("project/" + name) }

    func text(_ name: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path + "/" + name) ?? Data(), as: UTF8.self)
    }

    /// All living processes that work in the workspace.
    var processes: [ProcessSnapshot] {
        ProcessSnapshot.all().filter { $0.isLiving && $0.directory.hasPrefix(path) }
    }
}
