import Foundation
import RalphWire

/// Whether a demonstration finds something to copy, and a place for it.
struct DemoCheckup: FileCheckup {
    let subject = "demo"
    /// What it copies.
    let source: String
    /// Where it puts the copy.
    var place = DemoWorkspace.temporaryDirectory
    /// Whether the state lies with the copy.
    let isStateTemporary: Bool

    func look() -> [Finding] {
        guard access(place, W_OK | X_OK) == 0 else {
            return [
                .fail(
                    subject, "\(place) cannot be written by this user", "Name another directory with TMPDIR.")
            ]
        }
        do throws(ConfigurationProblem) {
            let count = try DemoWorkspace.Recordings(in: source).workspaces.count
            let what = isStateTemporary ? "copied with the state" : "copied"
            return [
                .ok(
                    subject,
                    "\(count) workspaces are \(what) to \(place) at each start, and removed at its end")
            ]
        } catch {
            return [
                .fail(subject, error.description, "Name a directory of recorded sessions with --root.")
            ]
        }
    }
}
