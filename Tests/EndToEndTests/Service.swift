import Foundation
import RalphTestSupport
import Testing

/// A server process that listens, with a root and a state directory of its own.
struct Service {
    let process: ServerProcess
    let port: Int
    /// Holds the root (`tree/`) and the state directory (`state/`).
    let place: TemporaryDirectory

    /// Starts a server on `place` and waits until it listens; again on the same `place` after its end.
    init(
        in place: TemporaryDirectory, _ arguments: [String] = [], state: String? = nil,
        within limit: Duration = .seconds(30)
    ) async throws {
        self.place = place
        try FileManager.default.createDirectory(
            atPath: place.path + "/tree", withIntermediateDirectories: true)
        process = try ServerProcess(
            [
                "--port", "0", "--root", place.path + "/tree", "--state-dir", state ?? place.path + "/state",
                "--log-level", TestLogs.directory == nil ? "warning" : "trace",
            ] + arguments, in: place)
        port = try await process.port(within: limit)
    }

    /// One request on a connection of its own.
    func get(_ target: String, headers: [String: String] = [:]) async throws -> HTTPProbe.Response {
        let probe = try HTTPProbe(port: port)
        try await probe.request(target, headers: headers)
        return try await probe.response()
    }

    /// The health report.
    func health() async throws -> [String: Any] { try await get("/api/health").object() }

    /// Opens a stream and reads its head.
    func stream(_ target: String, lastEventID: Int? = nil) async throws -> HTTPProbe {
        let probe = try HTTPProbe(port: port)
        try await probe.request(target, headers: lastEventID.map { ["Last-Event-ID": String($0)] } ?? [:])
        let (status, _) = try await probe.head()
        guard status == 200 else { throw ProcessProblem("GET \(target) answered \(status)") }
        return probe
    }

    /// The payloads of all events of a session that can be served now.
    func payloads(_ id: String) async throws -> [String] {
        let probe = try await stream("/api/sessions/\(id)/events?tail=all&follow=false")
        return try await probe.eventsToEnd().map { try $0.object()["payload"] as? String ?? "" }
    }

    /// The id of the session in `workspace`, once `events` of its events are stored.
    func session(_ workspace: String, events: Int) async throws -> String {
        var id = ""
        try await eventually(within: .seconds(20), "session \(workspace) with \(events) events") {
            let list = try await get("/api/sessions").json() as? [[String: Any]] ?? []
            let found = list.first { ($0["working_dir"] as? String)?.hasSuffix("/" + workspace) == true }
            id = found?["id"] as? String ?? ""
            return (found?["last_seq"] as? Int).map { $0 >= events } ?? false
        }
        return id
    }

    /// Appends lines to `workspace` until one of them comes to `stream` within `bound`, see ``atBest(within:_:_:)``.
    ///
    /// - Parameter last: the number of the newest line that is there.
    /// - Returns: that number afterwards.
    func expectLines(
        of workspace: String, after last: Int, on stream: HTTPProbe, within bound: Duration
    ) async throws -> Int {
        var newest = last
        try await atBest(within: bound, "a line of \(workspace)") {
            newest += 1
            let start = ContinuousClock.now
            try place.appendLines(newest...newest, to: workspace)
            let ids = try await stream.eventIDs(1, within: .seconds(20))
            let took = ContinuousClock.now - start
            #expect(ids == [newest])
            return took
        }
        return newest
    }
}

extension TemporaryDirectory {
    /// Appends lines that carry the numbers `numbers` to the events file of `workspace` below the root.
    func appendLines(_ numbers: ClosedRange<Int>, to workspace: String, padding: String = "") throws {
        let text = numbers.map { number in
            #"{"topic":"note.line","ts":"2026-11-21T03:20:36Z","payload":"n\#(number)\#(padding)"}"# + "\n"
        }
        try append("tree/\(workspace)/.ralph/events.jsonl", text.joined())
    }
}
