import RalphControl
import RalphWire

/// The program that runs are started with in a demonstration, whatever the settings name.
struct StandInCheckup: FileCheckup {
    /// What to do without it.
    static let advice =
        "The build puts it beside this program: put it there, or start without --demo for Ralph."

    let subject = "ralph"
    let path: String

    func look() -> [Finding] {
        guard let problem = RalphProgram.problem(with: path) else {
            return [.ok(subject, "\(path) plays it in the demo")]
        }
        return [
            .warn(
                subject, "\(path) \(problem)",
                "The demo plays a recording, and starts no run. " + Self.advice)
        ]
    }
}
