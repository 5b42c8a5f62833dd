import Foundation
import RalphSessions

/// The configuration that a run is really given: the chosen one and our pause gate.
struct RunConfiguration {
    /// Larger files are not read.
    private static let maximumBytes = 1 << 20

    private let plan: LaunchPlan
    /// What Ralph merges under every configuration (contract 7.1).
    private let user: String?
    /// Links may lead to what is at or below one of these; `nil`: anywhere.
    private let places: [String]?

    init(_ plan: LaunchPlan, _ settings: ControlSettings) {
        self.plan = plan
        user = SessionDirectory.userConfiguration(settings.environment)
        // Who started a run elsewhere has chosen its files wherever they lie.
        places = plan.isForeign == true ? nil : settings.places
    }

    /// - Throws: ``ControlError/failedToSpawn(_:)`` with the file and the line that are wrong.
    func generate() throws(ControlError) -> String {
        let standard = plan.workspace + "/" + SessionDirectory.configName
        let path = plan.config ?? standard
        let isThere = FileManager.default.fileExists(atPath: path)
        // Ralph goes by its defaults where the file that it is given is missing (contract 4.7).
        let isNeeded = plan.config != nil && plan.isForeign != true
        let yaml = isNeeded || isThere ? try read(path) : nil
        // Why the user's own cannot be read is Ralph's to say, which reads it too.
        let below = user.flatMap { (try? WorkspaceConfig.text(of: $0)) ?? nil }
        do {
            return try GeneratedConfig.make(
                yaml: yaml, directory: (path as NSString).deletingLastPathComponent,
                user: below, read: content)
        } catch {
            throw .failedToSpawn("\(path): \(error)")
        }
    }

    private func read(_ path: String) throws(ControlError) -> String {
        guard var bytes = content(path) else {
            let places = places == nil ? "" : " below the declared directories"
            throw .failedToSpawn("\(path) is no readable file of at most 1 MiB\(places)")
        }
        // Behind what is put before it, a byte order mark would be none.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .failedToSpawn("\(path) is not UTF-8")
        }
        return text
    }

    /// The content of a file; `nil`: it cannot be read, or a link leads out of the places.
    private func content(_ path: String) -> [UInt8]? {
        guard let places else {
            let real = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
            return BoundedFile.read(real, maximumBytes: Self.maximumBytes)
        }
        let file = SharedFile(
            place: WorkspacePlace(path: plan.workspace, roots: places), path: path,
            maximumBytes: Self.maximumBytes)
        // Why it is refused is said by those who ask, as is a file that is not there.
        guard let found = try? file.readUnlocked(), found.modified != nil else { return nil }
        return found.bytes
    }
}
