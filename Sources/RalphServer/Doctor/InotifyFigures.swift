import Foundation
import RalphSessions

/// The limits of inotify(7), and how much of them this user's processes have taken.
struct InotifyFigures: Sendable, Equatable {
    /// Descriptors that are looked at while counting.
    static let maximumDescriptors = 20_000

    var maximumWatches: Int?
    var maximumInstances: Int?
    var maximumEvents: Int?
    var usedWatches = 0
    var usedInstances = 0
    /// Whether there were more processes than were counted.
    var isCut = false
    /// Whether what the running server has taken is not counted.
    var isServerLeftOut = false

    init() {}

    /// Reads them below `proc` (proc(5)).
    ///
    /// - Parameter server: a process that is not counted; `nil`: none.
    static func read(proc: String = "/proc", leavingOut server: Int32? = nil) -> InotifyFigures {
        var figures = InotifyFigures()
        figures.isServerLeftOut = server != nil
        figures.maximumWatches = number("\(proc)/sys/fs/inotify/max_user_watches")
        figures.maximumInstances = number("\(proc)/sys/fs/inotify/max_user_instances")
        figures.maximumEvents = number("\(proc)/sys/fs/inotify/max_queued_events")
        figures.count(proc, without: server)
        return figures
    }

    /// The instances of an `fdinfo` file and their watches: a line each begins with `inotify `.
    static func watches(fdinfo: [UInt8]) -> Int {
        fdinfo.split(separator: 0x0A).count { $0.starts(with: "inotify ".utf8) }
    }

    private mutating func count(_ proc: String, without server: Int32?) {
        let files = FileManager.default
        let user = getuid()
        var looked = 0
        // Without the list nothing is counted.
        for name in (try? files.contentsOfDirectory(atPath: proc)) ?? [] where Int32(name) != nil {
            guard Int32(name) != server, EntryStatus(at: "\(proc)/\(name)")?.owner == user else { continue }
            // A process that has ended has no descriptors.
            for number in (try? files.contentsOfDirectory(atPath: "\(proc)/\(name)/fd")) ?? [] {
                looked += 1
                guard looked <= Self.maximumDescriptors else {
                    isCut = true
                    return
                }
                // One that is closed meanwhile is none.
                let target = try? files.destinationOfSymbolicLink(atPath: "\(proc)/\(name)/fd/\(number)")
                guard target?.contains("inotify") == true else { continue }
                usedInstances += 1
                let text = BoundedFile.readSystemFile(
                    "\(proc)/\(name)/fdinfo/\(number)", maximumBytes: 8 << 20)
                usedWatches += text.map(Self.watches) ?? 0
            }
        }
    }

    private static func number(_ path: String) -> Int? {
        BoundedFile.readSystemFile(path, maximumBytes: 64).flatMap {
            Int(String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }
}
