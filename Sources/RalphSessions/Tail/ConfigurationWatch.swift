/// Loads a workspace's configuration again when its file became another one.
struct ConfigurationWatch {
    private static let fileName = "ralph.yml"

    private let path: String
    private let interval: Int64
    private var lastLook: Int64?
    private var lastStatus: EntryStatus?

    /// - Parameter interval: the file is looked at no more often, in milliseconds.
    init(workspace: String, interval: Int64) {
        path = workspace + "/" + Self.fileName
        self.interval = interval
    }

    /// The configuration if it may have changed since the last look; `nil` inside: there is none.
    mutating func changed(now: Int64) -> WorkspaceConfig?? {
        if let lastLook, (lastLook..<lastLook + interval).contains(now) { return nil }
        let isFirst = lastLook == nil
        lastLook = now
        let status = EntryStatus(at: path)
        guard isFirst || status != lastStatus else { return nil }
        do throws(UnreadableFile) {
            let config = try WorkspaceConfig.find(file: path)
            lastStatus = status
            return .some(config)
        } catch {
            // What held before goes on to hold, and the next look tries again.
            return nil
        }
    }
}
