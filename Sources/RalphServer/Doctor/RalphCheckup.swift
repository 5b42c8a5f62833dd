import Foundation
import RalphControl
import RalphSessions
import RalphWire

/// The program that starts runs: whether it is there, its version, and who could replace it.
struct RalphCheckup: Checkup {
    /// The first version whose files and commands are what we know (Ralph contract 9).
    static let oldest = ProgramVersion(major: 2, minor: 10)

    /// By which Ralph starts itself.
    private static let name = "ralph"

    let subject = "ralph"
    /// As in ``ServerConfiguration/ralph``.
    let program: String?
    let environment: [String: String]

    func findings() async -> [Finding] {
        guard let program else {
            return [
                .warn(
                    subject, "not found on PATH",
                    "Runs are not started, continued, merged or discarded. Install ralph-orchestrator 2.10 or later, or"
                        + " name its program with --ralph or RALPH_BIN.")
            ]
        }
        let probe = ProgramProbe(environment: environment)
        guard let program = program.contains("/") ? program : probe.path(of: program) else {
            return [Self.judge(program, .missing("\(program) was not found on PATH"))]
        }
        // As runs start it: a script may look for the real one on the `PATH` that they get.
        let settings = ControlSettings(ralph: program, runs: "/", environment: environment)
        let answer = await ProgramProbe(environment: settings.ralphEnvironment).run(program, ["--version"])
        let real = URL(fileURLWithPath: program).resolvingSymlinksInPath().path
        return [Self.judge(program, answer)]
            + Self.judge(program, namesake: probe.path(of: Self.name))
            + Self.judge(
                real, file: EntryStatus(at: real).map(FileRights.init),
                directory: EntryStatus(at: (real as NSString).deletingLastPathComponent).map(FileRights.init),
                user: getuid())
    }

    /// What it says of itself.
    static func judge(_ path: String, _ answer: ProgramProbe.Outcome) -> Finding {
        let install = "Install ralph-orchestrator 2.10 or later, or name its program with --ralph."
        switch answer {
        case .missing(let text): return .fail("ralph", text, install)
        case .silent:
            return .fail("ralph", "\(path) --version does not end within 5 s", "Is this ralph? " + install)
        case .failed(let text): return .fail("ralph", "\(path) --version fails: \(text)", install)
        case .output(let text):
            guard let version = ProgramVersion(in: text) else {
                return .warn("ralph", "\(path) tells no version", "Is this ralph? " + install)
            }
            guard version >= oldest else {
                return .warn(
                    "ralph", "\(path) is version \(version); \(oldest) is the oldest that is known",
                    "Runs are watched, but pauses and questions may not work. " + install)
            }
            return .ok("ralph", "\(path), version \(version)")
        }
    }

    /// Whether Ralph, which starts itself by its name for a merge (Ralph contract 5.4), finds this program so. A script most
    /// likely starts the one that is found.
    ///
    /// - Parameter namesake: what `PATH` has of that name.
    static func judge(_ path: String, namesake: String?) -> [Finding] {
        let own = EntryStatus(behindLinks: path)
        if let own, let namesake, EntryStatus(behindLinks: namesake)?.isSameFile(as: own) == true {
            return []
        }
        if let namesake, RalphProgram.isScript(path) {
            return [.ok("ralph", "\(path) is a script: merges and agents start \(namesake)")]
        }
        guard path.split(separator: "/").last.map(String.init) != name else { return [] }
        return [
            .warn(
                "ralph", "\(path) is not called ralph, and \(namesake ?? "no program on PATH") is",
                "Merges are done by the program of that name: give this one a link that is called so, and name the link"
                    + " with --ralph.")
        ]
    }

    /// Who could put another program in its place.
    static func judge(
        _ path: String, file: FileRights?, directory: FileRights?, user: UInt32
    ) -> [Finding] {
        guard let file else { return [] }
        var findings: [Finding] = []
        if file.isWritableByAll || directory?.isWritableByAll == true {
            findings.append(
                .warn(
                    "ralph", "everybody on this machine may replace \(path)",
                    "chmod o-w it and its directory: it runs with your rights."))
        }
        if file.owner != user, file.owner != 0 {
            findings.append(
                .warn(
                    "ralph", "\(path) belongs to another user (number \(file.owner))",
                    "That user can change what runs with your rights; install one of your own."))
        }
        return findings
    }
}
