/// One file that a session's events come from.
struct TailSource: Sendable, Hashable {
    /// Names the file in checkpoints and contexts: relative to the session directory, `../` before what
    /// lies elsewhere in the workspace; `agent:` before output of a run, `./` before an events file that is called so.
    let key: String
    /// Absolute.
    let path: String
    /// Orders events files by age: `events.jsonl`, which versions without runs wrote, then what somebody put aside, then
    /// runs by name.
    let rank: String

    private static let agentPrefix = "agent:"
    private static let escape = "./"

    /// An events file by its canonical path; `nil` if it lies outside the workspace.
    init?(engine path: String, of directory: SessionDirectory) {
        guard let name = Self.relative(path, to: directory) else { return nil }
        self.init(key: Self.key(ofEventsFile: name), path: path)
    }

    /// The key of the events file `name`, which is relative to the session directory: one that a pointer names may be called
    /// as an output's key is.
    static func key(ofEventsFile name: String) -> String { isAgentOutput(name) ? escape + name : name }

    /// Output of a run: named relative to the workspace if it lies in it.
    init(agent path: String, of directory: SessionDirectory) {
        let home = directory.workspace + "/"
        let isInside = path.begins(with: home)
        let name = isInside ? String(Substring(path.utf8.dropFirst(home.utf8.count))) : path
        self.init(key: Self.agentPrefix + name, path: path)
    }

    /// The file that `key` names in a session.
    init(key: String, in directory: SessionDirectory) {
        let path: String
        if Self.isAgentOutput(key) {
            let name = String(Substring(key.utf8.dropFirst(Self.agentPrefix.utf8.count)))
            path = name.hasPrefix("/") ? name : directory.workspace.appendingPath(name)
        } else if key.begins(with: "../") {
            path = directory.workspace.appendingPath(String(Substring(key.utf8.dropFirst(3))))
        } else if key.begins(with: Self.escape) {
            path = directory.file(String(Substring(key.utf8.dropFirst(Self.escape.utf8.count))))
        } else {
            path = directory.file(key)
        }
        self.init(key: key, path: path)
    }

    private init(key: String, path: String) {
        self.key = key
        self.path = path
        let name = key.split(separator: "/").last.map(String.init) ?? key
        let isRun = SessionDirectory.isDatedEventsFileName(name)
        rank = name == SessionDirectory.plainEventsName ? "" : (isRun ? "1" : "0") + name
    }

    var isAgentOutput: Bool { Self.isAgentOutput(key) }

    /// Whether no version of Ralph writes to a file of this name unless it is pointed to, or current
    /// by its layout: a copy, or one that was moved.
    var isPutAside: Bool { rank.utf8.first == UInt8(ascii: "0") }

    /// Whether `key` names output of a run.
    static func isAgentOutput(_ key: String) -> Bool { key.begins(with: agentPrefix) }

    /// Whether `names` has this output of a run: its path, its path from the session directory, or its name.
    func isNamed(in names: Set<String>) -> Bool {
        guard !names.isEmpty else { return false }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return names.contains(name) || names.contains("../" + name) || names.contains(path)
            || names.contains(key)
    }

    private static func relative(_ path: String, to directory: SessionDirectory) -> String? {
        path.path(below: directory.path) ?? path.path(below: directory.workspace).map { "../" + $0 }
    }
}
