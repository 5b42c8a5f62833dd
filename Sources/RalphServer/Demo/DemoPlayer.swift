import Foundation
import Logging
import RalphSessions
import RalphWire
import ServiceLifecycle

/// Plays a recorded session over and over, in its real rhythm, by appending to a real events file as Ralph does.
///
/// Each round is a new run: a new events file, then the lines with the time of now. Nothing of the server
/// knows that it is a play.
struct DemoPlayer: Service {
    /// One recorded line and how long after the one before it came.
    struct Line: Sendable, Equatable {
        let text: String
        let delay: Duration
    }

    /// Longer silences of the recording are cut to this.
    static let longestDelay: Duration = .seconds(4)
    /// The rest between two rounds.
    static let pause: Duration = .seconds(2)

    /// The workspace that is played into; made by ``DemoWorkspace``.
    let workspace: String
    let lines: [Line]
    let logger: Logger

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown {
                while !Task.isCancelled {
                    try await playOnce()
                    try await Task.sleep(for: Self.pause)
                }
            }
        } catch is CancellationError {
            // The end of the play, not a failure of it.
        }
    }

    /// Names the events file of a new run, as Ralph does before it writes one: from here on the workspace is a session.
    ///
    /// - Returns: the file's path.
    static func pointToNewRun(in workspace: String) throws -> String {
        let directory = workspace + "/" + SessionDirectory.ralphName
        let name = "events-\(FileStamp.text(WallClock.milliseconds())).jsonl"
        let pointer = Data("\(SessionDirectory.ralphName)/\(name)".utf8)
        try pointer.write(to: URL(fileURLWithPath: directory + "/" + SessionDirectory.pointerName))
        return directory + "/" + name
    }

    /// One run from its start row to its end.
    private func playOnce() async throws {
        let path = try Self.pointToNewRun(in: workspace)
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw ConfigurationProblem("The demo cannot write to \(path).") }
        defer { try? file.close() }  // what was written is written
        for line in lines {
            try await Task.sleep(for: line.delay)
            try file.write(contentsOf: Data((Self.stamped(line.text, WallClock.milliseconds()) + "\n").utf8))
        }
        logger.debug("The demo begins again")
    }

    /// The line with its `ts` replaced.
    static func stamped(_ line: String, _ now: Int64) -> String {
        guard let key = line.range(of: #""ts":\s*""#, options: .regularExpression),
            let end = line[key.upperBound...].firstIndex(of: "\"")
        else { return line }
        return line.replacingCharacters(in: key.upperBound..<end, with: Timestamp.text(now))
    }

    /// The recorded lines with the silences between their times.
    static func lines(of recording: String) -> [Line] {
        var last: Int64?
        return recording.split(separator: "\n").map { text in
            let member = text.range(of: #""ts":\s*"[^"]*""#, options: .regularExpression)
            let value = member.flatMap { text[$0].split(separator: "\"").last }
            let time = value.flatMap { Timestamp.parse(Array($0.utf8)) }
            defer { last = time ?? last }
            let delay = Duration.milliseconds(max(0, (time ?? 0) - (last ?? time ?? 0)))
            return Line(text: String(text), delay: min(delay, longestDelay))
        }
    }
}
