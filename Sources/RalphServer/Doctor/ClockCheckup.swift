import Foundation
import RalphControl
import RalphSessions
import RalphWire

/// Whether times can be trusted: the wall clock, the file system's, and whether somebody sets them right.
struct ClockCheckup: Checkup {
    /// Seconds that the file system's clock may be off before it is told.
    static let fileTolerance: Double = 5
    /// Seconds of ``pause`` that the wall clock may gain or lose before it is told.
    static let stepTolerance: Double = 0.1
    private static let pause = Duration.milliseconds(200)

    /// Who keeps the clock right.
    enum Keeper: Sendable, Equatable { case synchronized, unsynchronized, unknown }

    let subject = "clock"
    let environment: [String: String]

    func findings() async -> [Finding] {
        let wall = EntryStatus.now()
        let steady = ContinuousClock.now
        // Cancelled only when nobody wants to know any more.
        try? await Task.sleep(for: Self.pause)
        let passed = (ContinuousClock.now - steady) / .seconds(1)
        let step = Double(EntryStatus.now() - wall) / 1e9 - passed
        let difference = await Deadline.blocking(within: LocalExamination.patience) { Self.fileDifference() }
        return Self.judge(
            now: wall / 1_000_000, step: step, fileDifference: difference ?? nil, keeper: await keeper())
    }

    /// What the clocks say: milliseconds since 1970, and differences in seconds.
    static func judge(now: Int64, step: Double, fileDifference: Double?, keeper: Keeper) -> [Finding] {
        let text = Timestamp.text(now)
        let year = Int(text.prefix(4)) ?? 0
        guard (2024...2100).contains(year) else {
            return [.fail("clock", "it is \(text) here", "Set the clock; timedatectl set-ntp true keeps it.")]
        }
        var findings: [Finding] = []
        switch keeper {
        case .synchronized: findings.append(.ok("clock", "\(text), kept by a time service"))
        case .unknown: findings.append(.ok("clock", "\(text); whether a time service keeps it is not known"))
        case .unsynchronized:
            findings.append(
                .warn(
                    "clock", "\(text), which no time service keeps",
                    "timedatectl set-ntp true; phones show times that differ otherwise."))
        }
        if abs(step) > stepTolerance {
            findings.append(
                .warn(
                    "clock", "it jumped by \(seconds(step)) while it was looked at",
                    "Something sets it; times of events and deadlines move with it."))
        }
        if let fileDifference, abs(fileDifference) > fileTolerance {
            findings.append(
                .warn(
                    "clock", "a file written now is dated \(seconds(fileDifference)) from now",
                    "Changes are found by their times: let both machines keep theirs by NTP."))
        }
        return findings
    }

    private static func seconds(_ value: Double) -> String {
        "\(value < 0 ? "-" : "")\(Int(abs(value) * 1000) / 1000).\(Int(abs(value) * 10) % 10) s"
    }

    /// Seconds from now to the time of a file that is written now, in the directory for temporary files.
    private static func fileDifference() -> Double? {
        var template = Array(
            (FileManager.default.temporaryDirectory.path + "/ralph-clock-XXXXXX").utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        _ = unlink(template)
        guard write(descriptor, "x", 1) == 1, let status = EntryStatus(descriptor: descriptor) else {
            return nil
        }
        return Double(status.modified - EntryStatus.now()) / 1e9
    }

    private func keeper() async -> Keeper {
        if FileManager.default.fileExists(atPath: "/run/systemd/timesync/synchronized") {
            return .synchronized
        }
        let answer = await ProgramProbe(environment: environment)
            .output(of: "timedatectl", ["show", "--property=NTPSynchronized", "--value"])
        switch answer?.trimmingCharacters(in: .whitespacesAndNewlines) {
        case "yes": return .synchronized
        case "no": return .unsynchronized
        default: return .unknown
        }
    }
}
