import RalphSessions
import RalphWire

/// The roots: whether they can be read, what lies there, and whether changes are told.
struct RootCheckup: FileCheckup {
    /// Directories that are looked at below each root.
    static let maximumDirectories = 5000

    let subject = "root"
    let roots: [String]
    let depth: Int
    let excludes: [String]
    /// The process of the server that runs on the state directory, whose watches this one would take over.
    let running: Int32?

    func look() -> [Finding] {
        var findings: [Finding] = []
        var watches = 0
        var isCut = false
        for root in roots {
            let survey = RootSurvey(
                root: root, depth: depth, excludes: excludes, maximumDirectories: Self.maximumDirectories)
            watches += survey.directories + survey.sessions
            isCut = isCut || survey.isCut
            findings += Self.judge(root, survey, FileSystemKind(path: root))
        }
        let figures = InotifyFigures.read(leavingOut: running)
        return findings + InotifyCheckup.judge(figures, needed: watches, isCut: isCut)
    }

    /// What a root's contents and its file system say.
    static func judge(_ root: String, _ survey: RootSurvey, _ kind: FileSystemKind?) -> [Finding] {
        let more = survey.isCut ? "; there are more, only so many were looked at" : ""
        let facts = "\(root): \(survey.sessions) sessions in \(survey.directories) directories\(more)"
        var findings: [Finding] = []
        if survey.unreadable > 0 {
            let example = survey.example.map { " (\($0))" } ?? ""
            findings.append(
                survey.directories == 0
                    ? .fail(
                        "root", "\(root) cannot be read\(example)", "Give this user the right to read it.")
                    : .warn(
                        "root", "\(facts); \(survey.unreadable) cannot be read\(example)",
                        "Give this user the right to read them, or leave them out with --exclude."))
        } else if survey.sessions == 0 {
            let advice =
                SessionDirectory.workspace(of: root).map {
                    "This is where Ralph keeps a session; the session is found with --root \($0)."
                } ?? "Sessions appear here when ralph runs in a directory below; --depth looks deeper."
            findings.append(.warn("root", facts, advice))
        } else {
            findings.append(.ok("root", facts))
        }
        switch kind {
        case .network(let name):
            findings.append(
                .warn(
                    "root", "\(root) lies on \(name), where changes made elsewhere are not told",
                    "Sessions there are polled, which is slower. Run the server where the files are."))
        case .layered(let name):
            findings.append(
                .warn(
                    "root", "\(root) lies on \(name): changes made below it, from outside, are not told",
                    "Mount the directory into the container as a volume."))
        case .local, nil: break
        }
        return findings
    }
}
