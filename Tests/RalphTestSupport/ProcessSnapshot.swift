import Foundation

/// A process as `/proc` shows it at one moment (proc(5)).
public struct ProcessSnapshot: Sendable {
    public let pid: Int32
    /// `R`, `S`, `T`, `Z`…
    public let state: Character
    public let parent: Int32
    public let group: Int32
    public let session: Int32
    /// The current directory; empty where it may not be read.
    public let directory: String
    public let arguments: [String]

    /// Neither ended nor a zombie.
    public var isLiving: Bool { state != "Z" && state != "X" }

    /// `nil` if there is no such process.
    public init?(pid: Int32) {
        guard
            let stat = FileManager.default.contents(atPath: "/proc/\(pid)/stat").map({
                String(decoding: $0, as: UTF8.self)
            }), let end = stat.lastIndex(of: ")")
        else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        guard fields.count > 3, let first = fields[0].first else { return nil }
        self.pid = pid
        state = first
        parent = Int32(fields[1]) ?? 0
        group = Int32(fields[2]) ?? 0
        session = Int32(fields[3]) ?? 0
        // A process that has ended meanwhile has no directory.
        directory = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/cwd")) ?? ""
        let line = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") ?? Data()
        arguments = line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    /// All processes.
    public static func all() -> [ProcessSnapshot] {
        // Without procfs there is nothing to see.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.compactMap { ProcessSnapshot(pid: $0) }
    }
}
