import Foundation
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LoopRoutesTests {
    private static let lock = #"{"pid":2147483647,"started":"2026-06-22T22:01:10.5Z","prompt":"Main quagga"}"#
    private static let registry = #"""
        {"loops":[{"id":"fair-rose","pid":2147483646,"started":"2026-06-22T22:02:10Z","prompt":"Side quagga",
        "worktree_path":"/nowhere/.worktrees/fair-rose","workspace":"/nowhere/.worktrees/fair-rose"},
        {"id":"--force","pid":1},{"pid":3},7]}
        """#

    @Test func `nothing is an empty list`() async throws {
        try await withServer { server in
            #expect(try await server.get("/api/loops").text == #"{"loops":[]}"#)
            let queue = try await server.get("/api/merge-queue").object()
            #expect((queue["pending"] as? [Any])?.isEmpty == true)
            #expect((queue["completed"] as? [Any])?.isEmpty == true)
        }
    }

    @Test func `a workspace has one primary and its worktree loops`() async throws {
        try await withServer { server in
            try server.root.write(".ralph/loop.lock", Self.lock)
            try server.root.write(".ralph/loops.json", Self.registry)
            let loops = try await server.get("/api/loops").object()["loops"] as? [[String: Any]] ?? []

            #expect(loops.compactMap { $0["status"] as? String } == ["primary", "worktree"])
            #expect(loops.compactMap { $0["prompt"] as? String } == ["Main quagga", "Side quagga"])
            #expect(loops.compactMap { $0["pid"] as? Int } == [2_147_483_647, 2_147_483_646])
            #expect(loops.compactMap { $0["alive"] as? Bool } == [false, false])
            #expect(loops.first?["started_at"] as? String == "2026-06-22T22:01:10.500Z")
            #expect(loops.first?["worktree_path"] == nil)
            #expect(loops.last?["worktree_path"] as? String == "/nowhere/.worktrees/fair-rose")
            let one = try await server.get("/api/loops/fair-rose").object()
            #expect(one["id"] as? String == "fair-rose")
        }
    }

    @Test func `the loops of a copied workspace are not the original's`() async throws {
        try await withServer { server in
            let row = RunningServer.lines(1...2, when: true)
            try server.root.write("copy/.ralph/events.jsonl", row)
            try server.root.write("copy/.worktrees/fair-rose/.ralph/current-loop-id", "fair-rose")
            try server.root.write("copy/.worktrees/fair-rose/.ralph/events-20260102-000000.jsonl", row)
            // The original's loop, which works: any process that is no newer than its entry.
            try server.root.write("original/.worktrees/fair-rose/file", "")
            let worktree = server.root.path + "/original/.worktrees/fair-rose"
            try server.root.write(
                "copy/.ralph/loops.json",
                #"{"loops":[{"id":"fair-rose","pid":\#(getpid()),"started":"2999-01-01T00:00:00Z","prompt":"p","worktree_path":"\#(worktree)","workspace":"\#(worktree)"}]}"#
            )
            let id = try await server.waitForSession("copy/.worktrees/fair-rose", events: 2)
            try await server.waitFor(id, "status", "idle")

            let loop = try await server.get("/api/loops/fair-rose").object()
            #expect(loop["session_id"] as? String == id && loop["alive"] as? Bool == false)
            #expect(loop["worktree_path"] as? String == server.root.path + "/copy/.worktrees/fair-rose")
            for action in ["merge", "discard"] {
                let response = try await server.post("/api/loops/fair-rose/\(action)")
                #expect(response.status == 400, "\(response.text)")
            }
        }
    }

    @Test(arguments: [true, false])
    func `a worktree loop's own workspace stands for the main one`(isThere: Bool) async throws {
        try await withServer { server in
            let row = RunningServer.lines(1...2, when: true)
            try server.root.write("main/.ralph/events.jsonl", row)
            let worktree = server.root.path + "/main/.worktrees/fair-rose"
            if isThere {
                try server.root.write("main/.worktrees/fair-rose/.ralph/events-20260102-000000.jsonl", row)
            }
            try server.root.write(
                "main/.ralph/loops.json",
                #"{"loops":[{"id":"fair-rose","pid":1,"started":"2999-01-01T00:00:00Z","prompt":"p","worktree_path":"\#(worktree)"}]}"#
            )
            _ = try await server.waitForSession("main", events: 2)
            if isThere { _ = try await server.waitForSession("main/.worktrees/fair-rose", events: 2) }

            let loop = try await server.get("/api/loops/fair-rose").object()
            let workspace = try #require(loop["workspace"] as? String)
            #expect(workspace == worktree)
            let same = try await server.get("/api/loops/fair-rose?workspace=" + workspace)
            #expect(same.status == 200, "\(same.text)")
            #expect(try await server.get("/api/merge-queue?workspace=" + workspace).status == 200)
        }
    }

    @Test func `a worktree loop stays one where its worktree has worktrees of its own`() async throws {
        try await withServer { server in
            let row = RunningServer.lines(1...2, when: true)
            let (outer, inner) = (
                "main/.worktrees/fair-rose", "main/.worktrees/fair-rose/.worktrees/lone-elk"
            )
            try server.root.write("main/.ralph/events.jsonl", row)
            for name in ["main", outer] { try server.root.write(name + "/.ralph/loop.lock", Self.lock) }
            try server.root.write(outer + "/.ralph/current-loop-id", "fair-rose")
            try server.root.write(outer + "/.ralph/events-20260102-000000.jsonl", row)
            try server.root.write(inner + "/.ralph/events-20260103-000000.jsonl", row)
            for name in ["main", outer, inner] { _ = try await server.waitForSession(name, events: 2) }

            let loops = try await server.get("/api/loops").object()["loops"] as? [[String: Any]] ?? []
            #expect(loops.compactMap { $0["id"] as? String } == ["primary", "fair-rose", "lone-elk"])
            for loop in loops {
                let (id, workspace) = (loop["id"] as? String ?? "", loop["workspace"] as? String ?? "")
                let same = try await server.get("/api/loops/\(id)?workspace=" + workspace)
                #expect(same.status == 200, "\(same.text)")
            }
        }
    }

    @Test func `what lies in a worktree beside its loop is neither a loop nor its session`() async throws {
        try await withServer { server in
            let row = RunningServer.lines(1...2, when: true)
            try server.root.write("main/.ralph/events.jsonl", row)
            for name in ["fair-rose", "lone-elk"] {
                try server.root.write("main/.worktrees/\(name)/.ralph/sessions/a/session.jsonl", row)
            }
            let worktree = server.root.path + "/main/.worktrees/fair-rose"
            try server.root.write(
                "main/.ralph/loops.json",
                #"{"loops":[{"id":"fair-rose","pid":999998,"started":"2026-01-02T00:00:00Z","prompt":"p","worktree_path":"\#(worktree)"}]}"#
            )
            for name in ["main", "main/.worktrees/fair-rose", "main/.worktrees/lone-elk"] {
                _ = try await server.waitForSession(name, events: 2)
            }

            let loops = try await server.get("/api/loops").object()["loops"] as? [[String: Any]] ?? []
            #expect(loops.compactMap { $0["id"] as? String } == ["fair-rose"])
            #expect(loops.first?["session_id"] as? String == nil)
        }
    }

    @Test func `a workspace in which nothing ran yet has empty lists`() async throws {
        try await withServer { server in
            try server.root.write("fresh/ralph.yml", "")
            try server.root.write("none/file", "")
            #expect(try await server.get("/api/loops?workspace=fresh").text == #"{"loops":[]}"#)
            #expect(try await server.get("/api/merge-queue?workspace=fresh").status == 200)
            #expect(try await server.get("/api/loops?workspace=none").status == 404)
            #expect(try await server.get("/api/loops?workspace=nowhere").status == 404)
        }
    }

    @Test func `what runs where discovery does not reach is alive, and its worktree is left alone`()
        async throws
    {
        try await withServer { server in
            let deep = "a/b/c/d/e/p"
            let rows = [#"{"type":"queued","prompt":"p"}"#, #"{"type":"needs_review","reason":"conflict"}"#]
            try server.root.write(
                deep + "/.ralph/merge-queue.jsonl",
                rows.map {
                    #"{"ts":"2026-01-01T00:00:00Z","loop_id":"fair-rose","event":\#($0)}"# + "\n"
                }.joined())
            var locks: [Int32] = []
            defer { for lock in locks { close(lock) } }
            for place in ["", "/.worktrees/fair-rose"] {
                let file = try server.root.write(deep + place + "/.ralph/loop.lock", Self.lock)
                locks.append(open(file, O_RDWR | O_CLOEXEC))
                #expect(flock(locks.last ?? -1, LOCK_EX) == 0)
            }

            let list = try await server.get("/api/loops?workspace=" + deep).object()
            let loops = list["loops"] as? [[String: Any]] ?? []
            #expect(loops.compactMap { $0["alive"] as? Bool } == [true])
            for action in ["merge", "discard"] {
                let path = "/api/loops/fair-rose/\(action)?workspace=\(deep)"
                let response = try await server.post(path)
                #expect(
                    response.status == 409 && response.text.contains("loop_still_running"), "\(response.text)"
                )
            }
        }
    }

    @Test func `an entry that names only the workspace is of a loop of it`() async throws {
        try await withServer { server in
            try server.root.write(
                ".ralph/loops.json",
                #"{"loops":[{"id":"fair-rose","pid":\#(getpid()),"started":"2999-01-01T00:00:00Z","prompt":"p","workspace":"\#(server.root.path)"}]}"#
            )
            #expect(try await server.get("/api/loops/fair-rose").object()["alive"] as? Bool == true)
        }
    }

    @Test(arguments: ["", "{", "null", #"{"loops":7}"#, "\u{0}"])
    func `a half written lock is read as far as it goes`(_ text: String) async throws {
        try await withServer { server in
            try server.root.write(".ralph/loop.lock", text)
            try server.root.write(".ralph/loops.json", "\n")
            let loops = try await server.get("/api/loops").object()["loops"] as? [[String: Any]] ?? []

            #expect(loops.compactMap { $0["status"] as? String } == ["primary"])
            #expect(loops.first?["pid"] as? Int == 0)
        }
    }

    @Test(arguments: ["{", "null", #"{"loops":7}"#, "\u{0}"])
    func `a list of loops that cannot be read is told, and takes away no other one`(_ text: String)
        async throws
    {
        try await withServer { server in
            try server.root.write("other/.ralph/events.jsonl", RunningServer.lines(1...2, when: true))
            try server.root.write("other/.ralph/loops.json", Self.registry)
            try server.root.write(".ralph/loop.lock", Self.lock)
            try server.root.write(".ralph/loops.json", text)
            let row =
                #"{"ts":"2026-06-22T22:20:00.1Z","loop_id":"lost-rose","event":{"type":"queued","prompt":""}}"#
            try server.root.write(".ralph/merge-queue.jsonl", row + "\n")
            _ = try await server.waitForSession("other", events: 2)

            let list = try await server.get("/api/loops")
            let loops = try list.object()["loops"] as? [[String: Any]] ?? []
            #expect(list.status == 200)
            #expect(loops.compactMap { $0["id"] as? String } == ["primary", "fair-rose"])
            let problems = try list.object()["problems"] as? [String] ?? []
            #expect(problems.count == 1)
            #expect(
                problems.first?.hasSuffix("/.ralph/loops.json: file_unreadable: it has no list of loops")
                    == true)
            #expect(try await server.get("/api/loops/fair-rose").status == 200)
            for response in [
                try await server.get("/api/loops/lost-rose"),
                try await server.post("/api/loops/lost-rose/merge"),
                try await server.post("/api/loops/lost-rose/discard"),
            ] {
                #expect(response.status == 500)
                #expect(
                    try response.object()["error"] as? String == "file_unreadable: it has no list of loops")
            }
        }
    }

    @Test(arguments: ["nope", "--help", "%2e%2e", "a%20b", "%00"])
    func `an unknown loop is a 404`(_ id: String) async throws {
        try await withServer { server in
            for response in [
                try await server.get("/api/loops/\(id)"), try await server.post("/api/loops/\(id)/merge"),
                try await server.post("/api/loops/\(id)/discard", "{}"),
            ] {
                #expect(response.status == 404)
                #expect(try response.object()["error"] as? String ?? "" ~= /^loop_not_found: .*/)
            }
        }
    }

    @Test func `the primary is neither merged nor discarded`() async throws {
        try await withServer { server in
            try server.root.write(".ralph/loop.lock", Self.lock)
            for action in ["merge", "discard"] {
                let response = try await server.post("/api/loops/primary/\(action)")
                #expect(response.status == 400)
                #expect(
                    try response.object()["error"] as? String
                        == "invalid_operation: cannot \(action) primary loop")
            }
        }
    }

    @Test(arguments: [
        (#"{"prompt":" "}"#, 400, "invalid_request: prompt cannot be empty"),
        (#"{}"#, 400, "invalid_request: prompt cannot be empty"),
        (#"{"prompt":7}"#, 400, "invalid_request: prompt must be a string"),
        (#"{"prompt":"x","config_path":"none.yml"}"#, 404, "config_not_found: none.yml"),
        (#"{"prompt":"x"}"#, 404, "workspace_not_found: not a git repository"),
    ])
    func `a start says what is wrong with it`(_ body: String, _ status: Int, _ error: String) async throws {
        try await withServer { server in
            let response = try await server.post("/api/loops", body)
            #expect(response.status == status)
            #expect(try response.object()["error"] as? String == error)
        }
    }

    @Test func `a queue that cannot be read says so`() async throws {
        try await withServer { server in
            try server.root.write(".ralph/merge-queue.jsonl/file", "")
            let response = try await server.get("/api/merge-queue")
            #expect(response.status == 500)
            #expect(try response.object()["error"] as? String ?? "" ~= /^failed_to_parse_merge_queue: .*/)
            #expect(try await server.get("/api/merge-queue?workspace=elsewhere").status == 404)
        }
    }

    @Test func `a queue that cannot be read takes away no other one`() async throws {
        try await withServer { server in
            let row =
                #"{"ts":"2026-06-22T22:20:00.1Z","loop_id":"fair-rose","event":{"type":"queued","prompt":""}}"#
            try server.root.write("other/.ralph/events.jsonl", RunningServer.lines(1...2, when: true))
            try server.root.write("other/.ralph/merge-queue.jsonl", row + "\n")
            try server.root.write(".ralph/merge-queue.jsonl/file", "")
            _ = try await server.waitForSession("other", events: 2)

            let queue = try await server.get("/api/merge-queue").object()
            let pending = queue["pending"] as? [[String: Any]] ?? []
            #expect(pending.compactMap { $0["id"] as? String } == ["fair-rose"])
            let problems = queue["problems"] as? [String] ?? []
            #expect(problems.count == 1)
            #expect(
                problems.first?.contains("/.ralph/merge-queue.jsonl: failed_to_parse_merge_queue: ") == true)
            // It may be in the one that cannot be read.
            let lost = try await server.post("/api/loops/lost-rose/merge")
            #expect(lost.status == 500)
            #expect(try lost.object()["error"] as? String ?? "" ~= /^failed_to_parse_merge_queue: .*/)
        }
    }
}

/// Whether `text` is as the pattern says.
private func ~= (text: String, pattern: Regex<Substring>) -> Bool { text.wholeMatch(of: pattern) != nil }
