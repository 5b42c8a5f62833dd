import Foundation
import RalphWire

/// Whether git is there, which changes of a workspace are read with.
struct GitCheckup: Checkup {
    let subject = "git"
    let environment: [String: String]

    func findings() async -> [Finding] {
        let probe = ProgramProbe(environment: environment)
        guard let path = probe.path(of: "git") else { return [Self.judge(path: nil, .missing(""))] }
        return [Self.judge(path: path, await probe.run(path, ["--version"]))]
    }

    /// What its answer says.
    static func judge(path: String?, _ answer: ProgramProbe.Outcome) -> Finding {
        guard let path else {
            return .warn("git", "not found on PATH", "Install it: without it no changes are shown.")
        }
        switch answer {
        case .output(let text):
            return .ok("git", "\(path): \(text.trimmingCharacters(in: .whitespacesAndNewlines))")
        case .silent: return .warn("git", "\(path) does not answer", "Run git --version and see why.")
        case .failed(let text), .missing(let text):
            return .warn("git", "\(path) fails: \(text)", "Run git --version and see why.")
        }
    }
}
