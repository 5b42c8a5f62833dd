import Foundation
import RalphFeed
import RalphTestSupport
import RalphWire
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ControlLedgerTests {
    private func command(
        _ kind: String, of number: UInt64? = 1, detail: String? = nil, at time: Int64 = 5
    ) -> CommandRecord {
        CommandRecord(
            session: number.map { session($0) }, kind: kind, by: "127.0.0.1", marker: "cmd_\(kind)",
            detail: detail, requestedAt: time)
    }

    @Test func `runs, commands and questions are there after a restart`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                try feed.ledger.saveRun(session(1), [1, 2])
                try feed.ledger.saveRun(session(1), [3])
                try feed.ledger.saveRun(session(2), [4])
                let id = try feed.ledger.begin(command("pause"))
                try feed.ledger.conclude(id, outcome: "accepted", status: 200, detail: "soon", at: 9)
                try feed.ledger.saveQuestion("q1", session: session(1), isOpen: true, [7], at: 1)
            }

            try withFeed(settings(directory)) { feed in
                let runs = try feed.ledger.runs()
                #expect(runs.map(\.session) == [session(1), session(2)] && runs.map(\.value) == [[3], [4]])
                var wanted = command("pause", detail: "soon")
                (wanted.id, wanted.outcome, wanted.status, wanted.concludedAt) = (1, "accepted", 200, 9)
                #expect(try feed.ledger.commands(of: session(1), before: nil, limit: 9) == [wanted])
                let question = StoredQuestion(id: "q1", session: session(1), isOpen: true, value: [7])
                #expect(try feed.ledger.questions() == [question])
            }
        }
    }

    @Test func `a command that was never concluded ends as unknown`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                let done = try feed.ledger.begin(command("pause"))
                try feed.ledger.conclude(done, outcome: "queued", status: 202, detail: nil, at: 6)
                _ = try feed.ledger.begin(command("stop", detail: "force"))
            }

            for _ in 0..<2 {
                try withFeed(settings(directory)) { feed in
                    let commands = try feed.ledger.commands(of: nil, before: nil, limit: 9)
                    #expect(commands.map(\.outcome) == ["unknown", "queued"])
                    #expect(commands.map(\.concludedAt) == [nil, 6])
                    #expect(commands.map(\.detail) == ["force", nil])
                }
            }
        }
    }

    @Test func `commands are told newest first, of one session or of all, page by page`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                let kinds: [(String, UInt64?)] = [("a", 1), ("b", 2), ("c", nil), ("d", 1), ("e", 1)]
                for (kind, number) in kinds { _ = try feed.ledger.begin(command(kind, of: number)) }

                let all = try feed.ledger.commands(of: nil, before: nil, limit: 3)
                #expect(all.map(\.kind) == ["e", "d", "c"])
                let rest = try feed.ledger.commands(of: nil, before: all.last?.id, limit: 3)
                #expect(rest.map(\.kind) == ["b", "a"])
                let own = try feed.ledger.commands(of: session(1), before: 5, limit: 9)
                #expect(own.map(\.kind) == ["d", "a"])
            }
        }
    }

    @Test func `a long detail is cut between two characters`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                let detail = "x" + String(repeating: "é", count: ControlLedger.maximumDetailBytes)
                _ = try feed.ledger.begin(command("steer", detail: detail))

                let kept = try feed.ledger.commands(of: nil, before: nil, limit: 1).first?.detail ?? ""
                #expect(kept.utf8.count == ControlLedger.maximumDetailBytes - 1)
                #expect(detail.hasPrefix(kept))
            }
        }
    }

    @Test func `the oldest commands make room`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                let count = ControlLedger.maximumCommands + 5
                for number in 1...count { _ = try feed.ledger.begin(command("emit", at: number)) }

                let commands = try feed.ledger.commands(of: nil, before: nil, limit: .max)
                #expect(Int64(commands.count) == ControlLedger.maximumCommands)
                #expect(commands.last?.requestedAt == 6 && commands.first?.requestedAt == count)
            }
        }
    }

    @Test func `the oldest closed questions make room, open ones stay`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                let count = ControlLedger.maximumClosedQuestions + 3
                try feed.ledger.saveQuestion("open", session: session(1), isOpen: true, [], at: 0)
                for number in 1...count {
                    try feed.ledger.saveQuestion(
                        "q\(number)", session: session(1), isOpen: false, [], at: Int64(number))
                }

                let questions = try feed.ledger.questions()
                let closed = questions.filter { !$0.isOpen }
                #expect(closed.count == ControlLedger.maximumClosedQuestions)
                #expect(closed.first?.id == "q4" && closed.last?.id == "q\(count)")
                #expect(questions.filter(\.isOpen).map(\.id) == ["open"])
            }
        }
    }
}
