import Foundation
import RalphSessions

/// What the system says of this very process; `nil` members where it does not say.
struct ServerProcess: Sendable {
    var residentBytes: Int?
    var processorSeconds: Double?
    /// Seconds since 1970.
    var startSeconds: Double?
    var openDescriptors: Int?
    var maximumDescriptors: Int?

    /// Reads files, so not for an event loop.
    init() {
        func read(_ name: String) -> [UInt8]? {
            BoundedFile.readSystemFile("/proc/\(name)", maximumBytes: 4 << 20)
        }
        if let line = read("self/stat").flatMap(ProcessStatus.init(stat:)) {
            residentBytes = Int(Double(line.residentPages) * HostProcesses.pageBytes)
            processorSeconds = Double(line.ticks) / HostProcesses.ticksPerSecond
            if let boot = read("stat").flatMap({ SystemText.value("btime", in: $0) }) {
                startSeconds = Double(boot) + Double(line.startTicks) / HostProcesses.ticksPerSecond
            }
        }
        // Where there is no such directory the number is not told. The look itself has one open.
        openDescriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))
            .map { max(0, $0.count - 1) }
        maximumDescriptors = DescriptorLimit.current
    }
}
