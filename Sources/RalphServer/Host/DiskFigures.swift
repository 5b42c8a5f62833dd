import Foundation
import RalphSessions

/// The file system that a directory lies on, as df(1) counts it.
struct DiskFigures: Sendable, Equatable {
    var totalBytes: UInt64 = 0
    var usedBytes: UInt64 = 0
    /// What people without special rights can use.
    var freeBytes: UInt64 = 0
    /// Of what people without special rights can use, 0 … 100.
    var usagePercent: Double = 0
    /// Whether nothing can be written there, whoever tries.
    var isReadOnly = false

    init() {}

    /// Those of `path`, or of the nearest directory above it that is there.
    init(nearest path: String) {
        var place = path
        while true {
            if let figures = DiskFigures(path: place) {
                self = figures
                return
            }
            guard let parent = place.pathParts?.parent, parent != place else { return }
            place = parent
        }
    }

    /// `nil` where the system does not tell (statvfs(3)).
    init?(path: String) {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let unit = UInt64(status.f_frsize)
        let used = UInt64(status.f_blocks) - min(UInt64(status.f_blocks), UInt64(status.f_bfree))
        let usable = Double(used) + Double(status.f_bavail)
        totalBytes = UInt64(status.f_blocks) &* unit
        usedBytes = used &* unit
        freeBytes = UInt64(status.f_bavail) &* unit
        usagePercent = usable > 0 ? Double(used) / usable * 100 : 0
        isReadOnly = status.f_flag & UInt(ST_RDONLY) != 0
    }
}
