import Foundation
import RalphSessions

extension ProcessIdentity {
    /// Which boot of the machine this is; empty where the system does not say.
    static let currentBootID = SessionDirectory.trimmed(
        String(
            decoding: BoundedFile.readSystemFile("/proc/sys/kernel/random/boot_id", maximumBytes: 64) ?? [],
            as: UTF8.self))

    /// The process that has this number now; `nil`: none, or one that has ended and waits to be reaped.
    package init?(pid: Int32) {
        guard let status = ProcessStatus(pid: pid), !status.isOver else { return nil }
        self.init(status)
    }

    /// The child of this number, which may have ended already: until it is reaped nobody else gets the number.
    init?(child pid: Int32) {
        guard let status = ProcessStatus(pid: pid) else { return nil }
        self.init(status)
    }

    init(_ status: ProcessStatus) {
        self.init(pid: status.pid, startTicks: status.startTicks, bootID: Self.currentBootID)
    }

    /// What `/proc` says of this very process, a zombie too; `nil` when it is gone.
    var status: ProcessStatus? {
        guard let status = ProcessStatus(pid: pid), isSame(status) else { return nil }
        return status
    }

    /// Whether this process, and not another of its number, runs; zombies do not.
    ///
    /// What cannot be looked at is not told as ended: then any process of this number counts.
    package var isAlive: Bool {
        do throws(UnreadableFile) {
            guard let status = try ProcessStatus.find(pid: pid) else { return false }
            return isSame(status) && !status.isOver
        } catch {
            return bootID == Self.currentBootID && RunningProcess.exists(pid)
        }
    }

    private func isSame(_ status: ProcessStatus) -> Bool {
        bootID == Self.currentBootID && status.startTicks == startTicks
    }

    /// The real user that the process runs as; `nil` when it has ended.
    package var uid: UInt32? {
        guard let text = BoundedFile.readSystemFile("/proc/\(pid)/status", maximumBytes: 16 << 10), isAlive
        else { return nil }
        for line in text.split(separator: 0x0A) where line.starts(with: "Uid:".utf8) {
            let fields = line.split(whereSeparator: { $0 == 0x09 || $0 == 0x20 })
            return fields.count > 1 ? UInt32(String(decoding: fields[1], as: UTF8.self)) : nil
        }
        return nil
    }

    /// The command line, empty if the process emptied it; `nil` when it has ended or may not be looked at.
    package var commandLine: [String]? { ProcessFile.strings(of: self, "cmdline") }

    /// Which configuration the environment of the process names for runs that are given none (contract 4.7); `nil`: none, or
    /// the process is another user's, has ended or may not be looked at.
    package var standardConfig: String? { variable("RALPH_CONFIG") }

    /// Which loop the process merges (contract 5.4); `nil` as for ``standardConfig``.
    var mergedLoop: String? { variable("RALPH_MERGE_LOOP_ID") }

    /// What `name` is in the environment that the process was given; `nil` also where it is empty.
    private func variable(_ name: String) -> String? {
        guard uid == geteuid(), let variables = ProcessFile.strings(of: self, "environ") else { return nil }
        let key = name + "="
        let value = variables.first { $0.hasPrefix(key) }?.dropFirst(key.count)
        return value.flatMap { $0.isEmpty ? nil : String($0) }
    }
}
