import Foundation
import RalphSessions

/// The configuration that a run is really given: the chosen one and our pause gate.
enum RunConfiguration {
    /// Larger files are not read.
    private static let maximumBytes = 1 << 20

    /// - Parameter home: whose `.ralph/config.yml` Ralph merges under every configuration (contract 7.1).
    /// - Throws: ``ControlError/failedToSpawn(_:)`` with the file and the line that are wrong.
    static func generate(for plan: LaunchPlan, home: String?) throws(ControlError) -> String {
        let standard = plan.workspace + "/" + SessionDirectory.configName
        let path = plan.config ?? standard
        let isThere = FileManager.default.fileExists(atPath: path)
        let yaml = plan.config != nil || isThere ? try read(path) : nil
        let userPath = home.map { $0 + "/" + SessionDirectory.userConfigPath }
        let user = userPath.flatMap { BoundedFile.read($0, maximumBytes: maximumBytes) }
        do {
            return try GeneratedConfig.make(
                yaml: yaml, directory: (path as NSString).deletingLastPathComponent,
                user: user.map { String(decoding: $0, as: UTF8.self) })
        } catch {
            throw .failedToSpawn("\(path): \(error)")
        }
    }

    private static func read(_ path: String) throws(ControlError) -> String {
        let real = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        guard let bytes = BoundedFile.read(real, maximumBytes: maximumBytes) else {
            throw .failedToSpawn("\(path) is no readable file of at most 1 MiB")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .failedToSpawn("\(path) is not UTF-8")
        }
        return text
    }
}
