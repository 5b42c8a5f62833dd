import Foundation
import RalphWire

/// The server that runs on this state directory, if one does.
struct RunningCheckup: Checkup {
    /// What is looked at of the health report.
    struct Report: Decodable {
        struct Streams: Decodable {
            let open: Int
        }

        struct Discovery: Decodable {
            let inotify: String
            let unwatched_directories: Int
        }

        let status: String
        let version: String
        let uptime_secs: Int64
        let sessions: Int
        let store: String
        /// `nil`: the server is of a version that does not tell.
        let reading: String?
        let streams: Streams
        let discovery: Discovery?
    }

    let subject = "server"
    /// What the record in the state directory says.
    let running: Result<RunningContents?, ConfigurationProblem>
    let ask: LocalExamination.Ask

    func findings() async -> [Finding] {
        let server: RunningContents
        switch running {
        case .success(nil): return [.ok(subject, "none is running on this state directory")]
        case .success(let found?): server = found
        case .failure(let problem):
            return [
                .fail(
                    subject, problem.description,
                    "A record that was taken away is written anew at the server's next start.")
            ]
        }
        guard let answer = await ask(server) else {
            return [
                .fail(
                    subject, "process \(server.pid) is there, but gives no answer on port \(server.port)",
                    "See what it logs; if it hangs, end it and start it again.")
            ]
        }
        return Self.judge(answer, of: server).map { $0.hiding(server.key) }
    }

    /// What an answer says.
    static func judge(_ answer: HealthAnswer, of server: RunningContents) -> [Finding] {
        let subject = "server"
        guard answer.status == 200 else {
            return [
                .warn(
                    subject, "process \(server.pid) answers \(answer.status) on port \(server.port)",
                    "It may be behind something, or bound to a name.")
            ]
        }
        // An answer that is no report is told as one.
        guard let report = try? JSONDecoder().decode(Report.self, from: Data(answer.body)) else {
            return [
                .fail(
                    subject, "what answers on port \(server.port) is no server of this kind",
                    "Find out what listens there.")
            ]
        }
        var findings = state(of: report, server)
        if let discovery = report.discovery, discovery.inotify != "ok" || discovery.unwatched_directories > 0
        {
            findings.append(
                .warn(
                    subject,
                    "\(discovery.unwatched_directories) directories are not watched, or lie on a network file system"
                        + " (inotify: \(discovery.inotify))",
                    "Changes there are seen late. Raise fs.inotify.max_user_watches with sysctl if watches are short."
                ))
        }
        return findings
    }

    /// How the server is, as it says itself.
    private static func state(of report: Report, _ server: RunningContents) -> [Finding] {
        let subject = "server"
        let facts =
            "version \(report.version) runs as process \(server.pid) on port \(server.port) for"
            + " \(report.uptime_secs) s: \(report.sessions) sessions, \(report.streams.open) open streams"
        guard report.status != "ok" else { return [.ok(subject, facts)] }
        let reading = report.reading ?? "ok"
        var findings: [Finding] = []
        if report.store != "ok" || reading == "ok" {
            findings.append(
                .fail(
                    subject, facts + "; its store: \(report.store)",
                    "Free space on the disk of the state directory, and it goes on by itself; where the store is damaged or was"
                        + " removed, start the server anew."))
        }
        if reading != "ok" {
            findings.append(
                .fail(
                    subject, facts + "; its sessions: \(reading)",
                    "See whether a root does not answer, and mount it anew, or wait; it goes on by itself."))
        }
        return findings
    }
}
