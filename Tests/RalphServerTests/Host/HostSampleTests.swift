import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct HostSampleTests {
    private func object(_ value: some Encodable) throws -> [String: Any] {
        let data = Data(try JSONResponse.text(value))
        return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }

    @Test func `figures come in the contract's units, nested and flat`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try HostScene(directory)
            let old = HostSample(scene.files)
            try scene.set(busy: 175, idle: 925)
            try scene.set(received: 3_001_000, sent: 501_000)
            let new = HostSample(scene.files)
            let metrics = HostMetrics(old, new)
            let seconds = new.seconds(since: old)

            #expect(metrics.cpu.usage_percent == 75)
            #expect(metrics.cpu.cores == 2)
            #expect(metrics.memory.total_gb == 4)
            #expect(metrics.memory.used_gb == 3)
            #expect(metrics.memory.usage_percent == 75)
            #expect(metrics.network.download_bytes_per_sec == Int64(3_000_000 / seconds))
            #expect(metrics.network.download_mbps == HostMetrics.rounded(3 / seconds))
            #expect(metrics.network.upload_mbps == HostMetrics.rounded(0.5 / seconds))
            #expect(metrics.load_avg == [1.5, 1.25, 1])
            let object = try object(metrics)
            #expect(object["cpu_percent"] as? Double == 75)
            #expect(object["memory_percent"] as? Double == 75)
            #expect((object["timestamp"] as? String)?.count == Timestamp.byteCount)
        }
    }

    @Test func `a disk is known by any path on it`() async throws {
        try await withTemporaryDirectory { directory in
            let disk = try #require(DiskFigures(path: directory.path))

            #expect(disk.totalBytes > 0)
            #expect(disk.usedBytes <= disk.totalBytes)
            #expect((0...100).contains(disk.usagePercent))
            #expect(DiskFigures(path: directory.path + "/none") == nil)
            // The root may be away for a while.
            #expect(DiskFigures(nearest: directory.path + "/none/of/them").totalBytes == disk.totalBytes)
            #expect(DiskFigures(nearest: "none") == DiskFigures())
            #expect(DiskFigures(nearest: "/none").totalBytes > 0)
        }
    }

    @Test func `a container's memory is that of its group`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try HostScene(directory)
            try directory.write("proc/self/cgroup", "1:name=systemd:/x\n0::/box\n")
            try directory.write("cgroup/box/memory.max", "1073741824\n")
            try directory.write("cgroup/box/memory.current", "536870912\n")

            #expect(scene.files.memory() == MemoryFigures(totalBytes: 1 << 30, usedBytes: 1 << 29))
        }
    }

    @Test func `the ten busiest processes come first, each once`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try HostScene(directory)
            for pid in 10..<30 { try scene.process(pid, ticks: 1000) }
            let old = HostSample(scene.files)
            try scene.process(12, ticks: 1500)
            try scene.process(13, ticks: 1100)
            try scene.process(14, "fresh", ticks: 50, start: 9)
            try scene.process(15, ticks: 1000, pages: 512)
            try directory.remove("proc/16")
            try directory.write(
                "proc/17/stat", "17 (dead) Z 1 1 1 0 0 0 0 0 0 0 9999 0 0 0 0 0 0 0 5 0 0 0\n")
            let new = HostSample(scene.files)
            let list = HostProcesses(old, new, owners: [:]).processes

            #expect(list.map(\.pid) == [12, 13, 14, 15, 10, 11, 18, 19, 20, 21])
            #expect(list[3].memory_mb == HostMetrics.rounded(512 * HostProcesses.pageBytes / 1_048_576))
            let percent = 500 / HostProcesses.ticksPerSecond / new.seconds(since: old) * 100
            #expect(list[0].cpu_percent == HostMetrics.rounded(percent))
            #expect(list.allSatisfy { $0.session_id == nil && $0.ralph == nil })
        }
    }

    @Test func `everything below a run is its session's`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try HostScene(directory)
            try scene.process(20, "ralph", ticks: 1, start: 7)
            try scene.process(21, "agent", parent: 20, ticks: 1)
            try scene.process(22, "tool", parent: 21, ticks: 1)
            try scene.process(23, "other", ticks: 1)
            try scene.process(24, "reused", ticks: 1, start: 8)
            try scene.process(30, "circle", parent: 31, ticks: 1)
            try scene.process(31, "circle", parent: 30, ticks: 1)
            let sample = HostSample(scene.files)
            let session = SessionID(digestPrefix: 1)
            let owners: [Int32: ProcessOwners.Owner] = [
                20: .init(session: session, startTicks: 7), 24: .init(session: session, startTicks: 7),
            ]
            let marked = HostProcesses(sample, sample, owners: owners).processes.filter { $0.ralph == true }

            #expect(Set(marked.map(\.pid)) == [20, 21, 22])
            #expect(marked.allSatisfy { $0.session_id == session.rawValue })
        }
    }

    @Test func `nothing to read is no crash`() async throws {
        try await withTemporaryDirectory { directory in
            var files = HostFiles(diskPath: directory.path + "/none")
            files.proc = directory.path + "/none"
            let sample = HostSample(files)

            #expect(!sample.isReadable)
            #expect(HostProcesses(sample, sample, owners: [:]).processes.isEmpty)
            #expect(HostMetrics(sample, sample).memory.usage_percent == 0)
        }
    }
}
