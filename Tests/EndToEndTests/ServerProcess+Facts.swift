import Foundation

/// What the kernel says of the process (proc(5)).
extension ServerProcess {
    /// Open descriptors.
    var descriptors: Int {
        // An empty count of a process that has ended fails the test that asks.
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count) ?? 0
    }

    /// What the kernel calls its threads.
    var threadNames: Set<String> {
        let tasks = "/proc/\(pid)/task"
        // A thread may end between the two looks.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: tasks))?.map { task in
            FileManager.default.contents(atPath: "\(tasks)/\(task)/comm") ?? Data()
        }
        return Set((names ?? []).map { String(decoding: $0.dropLast(), as: UTF8.self) })
    }

    /// The slices of its threads, in nanoseconds; none where the kernel does not tell.
    var slices: [Int] {
        let tasks = "/proc/\(pid)/task"
        // A thread may end between the two looks.
        return ((try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []).compactMap { task in
            let facts = FileManager.default.contents(atPath: "\(tasks)/\(task)/sched") ?? Data()
            return String(decoding: facts, as: UTF8.self).split(separator: "\n")
                .first { $0.hasPrefix("se.slice") }?
                .split(separator: ":").last.flatMap { Int($0.trimmingCharacters(in: .whitespaces)) }
        }
    }

    /// The most memory that was resident at once, in bytes.
    var peakResidentBytes: Int { memory("VmHWM:") }

    /// Memory that is resident now, in bytes.
    var residentBytes: Int { memory("VmRSS:") }

    /// A line of the status in bytes; of a process that has ended more than there can be.
    private func memory(_ name: String) -> Int {
        let status = FileManager.default.contents(atPath: "/proc/\(pid)/status") ?? Data()
        let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(name) }
        let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
        return (kilobytes ?? Int.max / 1024) * 1024
    }
}
