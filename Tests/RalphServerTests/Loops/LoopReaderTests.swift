import Foundation
import NIOPosix
import RalphSessions
import RalphTestSupport
import RalphWire
import Synchronization
import Testing

@testable import RalphControl
@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct LoopReaderTests {
    private static let half = #"{"loops":[{"id":"fair-rose","pi"#
    private static let whole = #"{"loops":[{"id":"fair-rose","pid":1}]}"#

    @Test func `loops in a directory that may not be read are not none`() async throws {
        try await withTemporaryDirectory { directory in
            let session = SessionDirectory(workspace: directory.path)
            #expect(LoopsFile.read(session).problem == nil)
            try directory.write(".ralph/loops.json", #"{"loops":[]}"#)
            #expect(LoopsFile.read(session).problem == nil)
            try #require(chmod(session.path, 0) == 0)

            withoutRights {
                #expect(LoopsFile.read(session).problem?.error == "file_unreadable: Permission denied")
            }
            try #require(chmod(session.path, 0o755) == 0)
        }
    }

    @Test(arguments: [(nil, true), ("completed", false)] as [(String?, Bool)])
    func `an agent that outlived its loop is at work, what a completed one left running is not`(
        _ reason: String?, _ isAtWork: Bool
    ) async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path + "/.worktrees/fair-rose"
            let session = SessionDirectory(workspace: path)
            let catalogue = SessionCatalogue()
            catalogue.update(DiscoveredSession(directory: session)) { $0.state.endReason = reason }
            var record = RunRecord(session: session.id, directory: session.path)
            record.phase = .ended
            catalogue.overlay(session.id, RunOverlay(StoredRun(record: record), orphans: [42]))
            var loop = Loop(id: "fair-rose", isPrimary: false, workspace: directory.path)
            loop.worktree = path

            let reader = LoopReader(roots: [directory.path], catalogue: catalogue)
            #expect(reader.isAtWork(loop) == isAtWork)
        }
    }

    /// A run with our pause gate, whoever started it.
    private func run(_ phase: RunRecord.Phase, _ change: (inout RunRecord) -> Void = { _ in }) -> RunRecord {
        var record = RunRecord(session: SessionID(digestPrefix: 1), directory: "/w/.ralph")
        record.phase = phase
        record.hasGate = true
        change(&record)
        return record
    }

    @Test func `no merge takes the place of a primary that another process is to go on with`() async throws {
        let halted = run(.halted)
        let others: [RunRecord] = [
            halted,
            run(.pausing) { $0.hasGate = false },
            // Its time is over, and begins anew.
            run(.pausing) { $0.isRenewed = true },
            // Its agent may say 130.
            run(.pausing) {
                $0.pause = .init(requestedAt: 1, by: "test")
                $0.pause?.isUrgent = true
            },
            run(.resuming) { $0.isContinuing = true },
            run(.starting) { $0.pausedBefore = [halted] },
        ]
        // A pause holds it in its process.
        let phases: [RunRecord.Phase] = [
            .starting, .running, .pausing, .suspended, .resuming, .stopping, .ended,
        ]
        let own = phases.map { run($0) }
        try await withTemporaryDirectory { directory in
            let session = SessionDirectory(workspace: directory.path)
            let catalogue = SessionCatalogue()
            catalogue.update(DiscoveredSession(directory: session)) { _ in }
            let reader = LoopReader(roots: [directory.path], catalogue: catalogue)
            for (records, primary) in [(others, "primary"), (own, nil)] as [([RunRecord], String?)] {
                for record in records {
                    catalogue.overlay(session.id, RunOverlay(StoredRun(record: record), orphans: []))
                    #expect(reader.pausedPrimary(of: directory.path) == primary, "\(record.phase)")
                }
            }
        }
    }

    @Test func `something else in the place of the list is told`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write(".ralph/loops.json/file", "")
            let problem = LoopsFile.read(SessionDirectory(workspace: directory.path)).problem
            #expect(problem?.error == "file_unreadable: it is no regular file, or has more than 1 MiB")
        }
    }

    @Test func `a workspace whose directory is a link has no loops`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("elsewhere/loops.json", Self.half)
            try directory.write("elsewhere/merge-queue.jsonl", "")
            try directory.write("project/file", "")
            try #require(
                symlink(directory.path + "/elsewhere", directory.path + "/project/.ralph") == 0)
            let session = SessionDirectory(workspace: directory.path + "/project")

            guard case .records(let records) = LoopsFile.read(session) else {
                Issue.record("not even none")
                return
            }
            #expect(records.isEmpty)
            #expect(try MergeQueue.load(session).items.isEmpty)
        }
    }

    @Test(arguments: ["", half])
    func `a list that is being rewritten is waited for, and nobody else's is read again`(
        _ text: String
    ) async throws {
        let steps = Steps([
            "/a/.ralph/loops.json": [.content(text), .content(text), .content(Self.whole)],
            "/b/.ralph/loops.json": [.content(Self.whole)],
            "/c/.ralph/loops.json": [.unreadable(SystemCode(EACCES)), .content(Self.whole)],
        ])
        let lists = try await steps.lists(within: .seconds(50))

        #expect(lists.map { $0.loops.map(\.id) } == [["fair-rose"], ["fair-rose"], []])
        #expect(lists.map(\.problem?.error) == [nil, nil, "file_unreadable: Permission denied"])
        #expect(steps.counts == [3, 1, 1])
    }

    @Test(arguments: ["", half])
    func `a list that is asked for alone is waited for while it is rewritten`(_ text: String) async throws {
        try await withTemporaryDirectory { directory in
            let path = try directory.write(".ralph/loops.json", text)
            // However late it is looked at here.
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: 60)], ofItemAtPath: path)
            let looks = Mutex(0)
            let reader = LoopReader(roots: [directory.path], catalogue: SessionCatalogue()) { file in
                let look = looks.withLock { looks in
                    looks += 1
                    return looks
                }
                return look < 3 ? LoopsFile.find(file) : .content(Array(Self.whole.utf8))
            }
            let session = SessionDirectory(workspace: directory.path)
            let file = try await reader.registry(of: session, on: FileThreads(most: 4), within: .seconds(50))
            #expect(try LoopNames(file, MergeQueue([])).registered == ["fair-rose"])

            // Of one that was left so long ago nothing more comes.
            looks.withLock { $0 = 0 }
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -10)], ofItemAtPath: path)
            _ = try await reader.registry(of: session, on: FileThreads(most: 4), within: .seconds(50))
            #expect(looks.withLock { $0 } == 1)
        }
    }

    @Test func `a list that stays as it is was none, or is told`() async throws {
        let steps = Steps([
            "/a/.ralph/loops.json": [.content("\n")], "/b/.ralph/loops.json": [.content(Self.half)],
        ])
        let lists = try await steps.lists(within: .milliseconds(50))

        #expect(lists.map(\.problem?.error) == [nil, "file_unreadable: it has no list of loops"])
    }

    @Test(arguments: ["", half])
    func `a list that was left half written long ago is not waited for`(_ text: String) async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write(".ralph/loops.json", text)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -10)], ofItemAtPath: file)
            let looks = Mutex(0)
            let reader = LoopReader(roots: [directory.path], catalogue: SessionCatalogue()) { path in
                looks.withLock { $0 += 1 }
                return LoopsFile.find(path)
            }
            let lists = try await reader.lists(
                of: [directory.path], [], on: FileThreads(most: 4), within: .milliseconds(50))

            #expect(lists.map { $0.problem == nil } == [text.isEmpty])
            #expect(looks.withLock { $0 } == 1)
        }
    }
}

extension LoopsFile {
    fileprivate var problem: Problem? {
        switch self {
        case .records: nil
        case .unfinished(let problem): problem
        case .unreadable(let problem): problem
        }
    }
}

extension BoundedFile.Finding {
    fileprivate static func content(_ text: String) -> Self { .content(Array(text.utf8)) }
}

/// What each look at a file of the workspaces `/a`, `/b` … finds, the last thing again and again.
private final class Steps: Sendable {
    private let steps: [String: [BoundedFile.Finding]]
    private let looks = Mutex<[String: Int]>([:])

    init(_ steps: [String: [BoundedFile.Finding]]) { self.steps = steps }

    /// How often each file was looked at.
    var counts: [Int] { looks.withLock { looks in steps.keys.sorted().map { looks[$0] ?? 0 } } }

    func lists(within limit: Duration) async throws -> [LoopList] {
        let workspaces = steps.keys.sorted().map { String($0.prefix(2)) }
        let reader = LoopReader(roots: workspaces, catalogue: SessionCatalogue()) { self.find($0) }
        return try await reader.lists(of: workspaces, [], on: FileThreads(most: 4), within: limit)
    }

    private func find(_ path: String) -> BoundedFile.Finding {
        let look = looks.withLock { looks in
            defer { looks[path, default: 0] += 1 }
            return looks[path] ?? 0
        }
        guard let found = steps[path], let last = found.last else { return .none }
        return look < found.count ? found[look] : last
    }
}
