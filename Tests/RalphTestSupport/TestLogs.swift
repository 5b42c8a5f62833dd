import Foundation

/// Where what servers log is kept for the look at the whole suite: the directory that `RALPH_TEST_LOGS` names.
public enum TestLogs {
    /// `nil`: nothing is kept.
    public static let directory: String? = {
        guard let path = ProcessInfo.processInfo.environment["RALPH_TEST_LOGS"], !path.isEmpty else {
            return nil
        }
        return path
    }()

    private static let descriptor: Int32 = {
        guard let directory else { return -1 }
        return open(
            "\(directory)/in-process-\(getpid()).log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    }()

    /// Keeps a line that a server in this process logged.
    public static func keep(_ line: String) {
        guard descriptor >= 0 else { return }
        _ = Array(line.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }

    /// A path for what a process writes to standard error; `nil`: it is not kept.
    public static func path(for name: String) -> String? { directory.map { "\($0)/\(name).err" } }

    /// Copies the audit log of a server that has ended, if there is one.
    public static func keepAudit(of stateDirectory: String) {
        guard let directory else { return }
        let files = FileManager.default
        // A server that never ran has none.
        let names = (try? files.contentsOfDirectory(atPath: stateDirectory)) ?? []
        for name in names where name.hasPrefix("audit.jsonl") {
            let copy = "\(directory)/\(UUID().uuidString.prefix(8))-\(name)"
            // A test that takes its files away leaves nothing to look at.
            try? files.copyItem(atPath: stateDirectory + "/" + name, toPath: copy)
        }
    }
}
