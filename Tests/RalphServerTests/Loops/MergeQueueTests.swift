import Foundation
import RalphSessions
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

struct MergeQueueTests {
    private func queue(_ lines: String...) -> MergeQueue {
        MergeQueue(Array(lines.joined(separator: "\n").utf8))
    }

    private func row(_ id: String, _ event: String, _ second: Int) -> String {
        #"{"ts":"2026-06-22T22:20:0\#(second).1Z","loop_id":"\#(id)","event":\#(event)}"#
    }

    @Test func `a queue in a directory that may not be read is not an empty one`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write(".ralph/merge-queue.jsonl", "")
            let session = SessionDirectory(workspace: directory.path)
            try #require(chmod(session.path, 0) == 0)

            withoutRights {
                let error = #expect(throws: Problem.self) { try MergeQueue.load(session) }
                #expect(error?.error == "failed_to_parse_merge_queue: Permission denied")
            }
            try #require(chmod(session.path, 0o755) == 0)
        }
    }

    @Test(arguments: [true, false])
    func `a file with a merge that was left is read again only if it changed`(changes: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let left = row("a-b", #"{"type":"merging","pid":2147483647}"#, 1) + "\n"
            let last = row("a-b", #"{"type":"merged","commit":"c"}"#, 2) + "\n"
            try directory.write(".ralph/merge-queue.jsonl", left)
            var looks = 0
            var failure: (any Error)?
            let queue = try MergeQueue.load(SessionDirectory(workspace: directory.path)) { path in
                looks += 1
                defer {
                    if changes, looks == 1 {
                        do { try directory.append(".ralph/merge-queue.jsonl", last) } catch {
                            failure = error
                        }
                    }
                }
                return MergeQueue.find(path)
            }

            #expect(failure == nil)
            #expect(looks == (changes ? 2 : 1))
            #expect(queue["a-b"]?.state == (changes ? .merged : .merging))
            #expect(queue["a-b"]?.isLeft == !changes)
        }
    }

    @Test(arguments: [
        (#"{"type":"queued","prompt":"P"}"#, "pending", "queued"),
        (#"{"type":"merging","pid":41}"#, "pending", "merging"),
        (#"{"type":"merged","commit":"abc"}"#, "completed", "merged"),
        (#"{"type":"needs_review","reason":"limit"}"#, "failed", "needs_review"),
        (#"{"type":"discarded","reason":null}"#, "failed", "discarded"),
    ])
    func `Ralph's rows say where a loop stands`(_ event: String, _ status: String, _ state: String) throws {
        let queue = queue(row("a-b", #"{"type":"queued","prompt":"P"}"#, 1), row("a-b", event, 2))
        let object = MergeQueueObject([.init(queue, "/w")])
        let item = try #require((object.pending + object.completed).first)

        #expect(item.status == status)
        #expect(item.state == state)
        #expect(item.prompt == "P")
        #expect(object.pending.count == (status == "pending" ? 1 : 0))
        #expect(item.merged_at == (state == "merged" ? "2026-06-22T22:20:02.100Z" : nil))
    }

    @Test(arguments: [
        ("loop.queued", "pending"), ("loop.merged", "completed"), ("loop.merge_failed", "failed"),
    ])
    func `the former server's rows count as well`(_ type: String, _ status: String) throws {
        let line =
            #"{"type":"\#(type)","id":"loop-1-ab","prompt":"P","worktree_path":"/x","timestamp":"2026-02-05T10:30:45Z"}"#
        let object = MergeQueueObject([.init(queue(line), "/w")])
        let item = try #require((object.pending + object.completed).first)

        #expect(item.status == status)
        #expect(item.worktree_path == "/x")
        #expect(item.queued_at == "2026-02-05T10:30:45.000Z")
    }

    @Test func `the newest come first`() {
        let queued = #"{"type":"queued","prompt":""}"#
        let merged = #"{"type":"merged","commit":"c"}"#
        let queue = queue(
            row("a", queued, 1), row("b", queued, 2), row("c", queued, 3), row("d", queued, 4),
            row("d", merged, 5), row("c", merged, 6))
        let object = MergeQueueObject([.init(queue, "/w")])

        #expect(object.pending.map(\.id) == ["b", "a"])
        #expect(object.completed.map(\.id) == ["c", "d"])
    }

    @Test func `bad lines are skipped and counted`() {
        let good = row("a", #"{"type":"queued","prompt":""}"#, 1)
        let queue = queue(
            "", "nonsense", "[]", good, row("../b", #"{"type":"queued"}"#, 1),
            row("b", #"{"type":"eaten"}"#, 1), #"{"loop_id":"c","event":{"type":"queued"}}"#, " ",
            good.dropLast().description)

        #expect(queue.items.map(\.id) == ["a"])
        #expect(queue.skippedLines == 6)
    }

    @Test(arguments: [
        ("fair-rose", true), ("loop-1700000000-ab12", true), ("a", true), ("A_b.c", true), ("-rf", false),
        ("--all", false), ("..", false), (".", false), ("a/b", false), ("", false), ("a b", false),
        ("ä", false), ("a\n", false), (String(repeating: "a", count: 129), false),
    ])
    func `an id is a plain name`(_ text: String, _ isID: Bool) {
        #expect(Loop.isID(text) == isID)
    }
}
