import Foundation
import GRDB
import RalphFeed
import RalphTestSupport
import RalphWire
import Testing

@Suite(.timeLimit(.minutes(1)))
struct IdempotencyTests {
    private static let day = ControlLedger.idempotentLifetime

    private func withLedger(_ body: (ControlLedger) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { try body($0.ledger) }
        }
    }

    @Test func `a repeated request gets the first answer`() async throws {
        try await withLedger { ledger in
            #expect(try ledger.beginIdempotent(key: "k", scope: "s", digest: [1], at: 5) == .new)
            // Also by a clock that was set meanwhile.
            for time in [6, 6 + 2 * Self.day] {
                #expect(
                    try ledger.beginIdempotent(key: "k", scope: "s", digest: [1], at: time) == .inProgress)
            }
            try ledger.finishIdempotent(key: "k", scope: "s", status: 201, location: "/x", body: [8, 9])

            let again = try ledger.beginIdempotent(key: "k", scope: "s", digest: [1], at: 7)
            #expect(again == .answered(status: 201, location: "/x", body: [8, 9]))
            #expect(try ledger.beginIdempotent(key: "k", scope: "t", digest: [1], at: 8) == .new)
            #expect(try ledger.beginIdempotent(key: "l", scope: "s", digest: [1], at: 8) == .new)
        }
    }

    @Test func `a request that goes on is not forgotten when the clock is set forward`() async throws {
        try await withLedger { ledger in
            #expect(try ledger.beginIdempotent(key: "k", scope: "s", digest: [1], at: 5) == .new)
            let later = 5 + 2 * Self.day
            #expect(try ledger.beginIdempotent(key: "l", scope: "s", digest: [1], at: later) == .new)

            #expect(try ledger.beginIdempotent(key: "k", scope: "s", digest: [1], at: later) == .inProgress)
            try ledger.finishIdempotent(key: "k", scope: "s", status: 201, location: nil, body: [])
            #expect(try ledger.beginIdempotent(key: "m", scope: "s", digest: [1], at: later) == .new)
            #expect(try ledger.beginIdempotent(key: "k", scope: "s", digest: [1], at: later) == .new)
        }
    }

    @Test func `another request with the same key is told apart, answered or not`() async throws {
        try await withLedger { ledger in
            #expect(try ledger.beginIdempotent(key: "k", scope: "s", digest: [1], at: 5) == .new)
            #expect(try ledger.beginIdempotent(key: "k", scope: "s", digest: [2], at: 6) == .mismatch)
            try ledger.finishIdempotent(key: "k", scope: "s", status: 200, location: nil, body: [])
            #expect(try ledger.beginIdempotent(key: "k", scope: "s", digest: [2], at: 7) == .mismatch)
        }
    }

    @Test func `an abandoned request may be made again, an answered one is not abandoned`() async throws {
        try await withLedger { ledger in
            _ = try ledger.beginIdempotent(key: "k", scope: "s", digest: [1], at: 5)
            try ledger.abandonIdempotent(key: "k", scope: "s")
            #expect(try ledger.beginIdempotent(key: "k", scope: "s", digest: [2], at: 6) == .new)
            try ledger.finishIdempotent(key: "k", scope: "s", status: 204, location: nil, body: [])
            try ledger.abandonIdempotent(key: "k", scope: "s")

            let again = try ledger.beginIdempotent(key: "k", scope: "s", digest: [2], at: 7)
            #expect(again == .answered(status: 204, location: nil, body: []))
        }
    }

    @Test func `a restart keeps answers, and does nothing again that was being carried out`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                for key in ["done", "cut off"] {
                    _ = try feed.ledger.beginIdempotent(key: key, scope: "s", digest: [1], at: 5)
                }
                try feed.ledger.finishIdempotent(
                    key: "done", scope: "s", status: 200, location: nil, body: [7])
            }

            try withFeed(settings(directory)) { feed in
                let done = try feed.ledger.beginIdempotent(key: "done", scope: "s", digest: [1], at: 6)
                #expect(done == .answered(status: 200, location: nil, body: [7]))
                let cutOff = try feed.ledger.beginIdempotent(key: "cut off", scope: "s", digest: [1], at: 6)
                #expect(cutOff == .interrupted)
                try feed.ledger.abandonIdempotent(key: "cut off", scope: "s")
                let still = try feed.ledger.beginIdempotent(key: "cut off", scope: "s", digest: [1], at: 7)
                #expect(still == .interrupted)
            }
        }
    }

    @Test func `an end that cannot be stored is known, and stored later`() async throws {
        try await withTemporaryDirectory { directory in
            let notKept = IdempotentEntry.answered(status: 201, location: nil, body: nil)
            try withFeed(settings(directory)) { feed in
                let ledger = feed.ledger
                func begin(_ key: String, _ digest: UInt8 = 1) throws -> IdempotentEntry {
                    try ledger.beginIdempotent(key: key, scope: "s", digest: [digest], at: 5)
                }
                for key in ["done", "nothing", "going on"] { #expect(try begin(key) == .new) }
                try directory.execute(
                    """
                    CREATE TRIGGER no BEFORE UPDATE ON idempotency BEGIN SELECT RAISE(ABORT, 'no'); END;
                    CREATE TRIGGER never BEFORE DELETE ON idempotency BEGIN SELECT RAISE(ABORT, 'no'); END
                    """)
                #expect(throws: StoreError.self) {
                    try ledger.finishIdempotent(
                        key: "done", scope: "s", status: 201, location: nil, body: [7])
                }
                #expect(throws: StoreError.self) { try ledger.abandonIdempotent(key: "nothing", scope: "s") }

                #expect(try begin("done") == notKept)
                #expect(try begin("done", 2) == .mismatch)
                #expect(try begin("going on") == .inProgress)
                #expect(try begin("nothing", 2) == .new)
                #expect(try begin("nothing", 2) == .inProgress)
                #expect(throws: StoreError.self) { try ledger.abandonIdempotent(key: "nothing", scope: "s") }

                try directory.execute("DROP TRIGGER no; DROP TRIGGER never")
                try ledger.saveRun(session(1), [1])
                #expect(try begin("done") == notKept)
            }
            try withFeed(settings(directory)) { feed in
                let entries = try ["done", "nothing", "going on"].map {
                    try feed.ledger.beginIdempotent(key: $0, scope: "s", digest: [1], at: 5)
                }
                #expect(entries == [notKept, .new, .interrupted])
            }
        }
    }

    @Test func `a request that could not be taken on again is still abandoned`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                func begin() throws -> IdempotentEntry {
                    try feed.ledger.beginIdempotent(key: "k", scope: "s", digest: [1], at: 5)
                }
                #expect(try begin() == .new)
                try directory.execute(
                    """
                    CREATE TRIGGER no BEFORE INSERT ON idempotency BEGIN SELECT RAISE(ABORT, 'no'); END;
                    CREATE TRIGGER never BEFORE DELETE ON idempotency BEGIN SELECT RAISE(ABORT, 'no'); END
                    """)
                #expect(throws: StoreError.self) { try feed.ledger.abandonIdempotent(key: "k", scope: "s") }
                for _ in 0..<2 { #expect(throws: StoreError.self) { try begin() } }

                try directory.execute("DROP TRIGGER no; DROP TRIGGER never")
                #expect(try begin() == .new)
            }
        }
    }

    @Test func `a body that is too large is not kept`() async throws {
        try await withLedger { ledger in
            for (key, count) in [("fits", 0), ("large", 1)] {
                _ = try ledger.beginIdempotent(key: key, scope: "s", digest: [], at: 5)
                let body = [UInt8](repeating: 1, count: ControlLedger.maximumBodyBytes + count)
                try ledger.finishIdempotent(key: key, scope: "s", status: 200, location: nil, body: body)
            }

            guard
                case .answered(_, _, let fits?) = try ledger.beginIdempotent(
                    key: "fits", scope: "s", digest: [], at: 6)
            else { throw Missing() }
            #expect(fits.count == ControlLedger.maximumBodyBytes)
            let large = try ledger.beginIdempotent(key: "large", scope: "s", digest: [], at: 6)
            #expect(large == .answered(status: 200, location: nil, body: nil))
        }
    }

    @Test func `of large bodies the newest are kept`() async throws {
        try await withLedger { ledger in
            let keys = (0...ControlLedger.maximumLargeBodies).map { "\($0)" }
            let body = [UInt8](repeating: 1, count: ControlLedger.largeBodyBytes + 1)
            for key in keys {
                _ = try ledger.beginIdempotent(key: key, scope: "s", digest: [], at: 5)
                try ledger.finishIdempotent(key: key, scope: "s", status: 200, location: nil, body: body)
            }

            let isKept = try keys.map { key in
                let entry = try ledger.beginIdempotent(key: key, scope: "s", digest: [], at: 6)
                return entry == .answered(status: 200, location: nil, body: body)
            }
            #expect(isKept == [false] + keys.dropFirst().map { _ in true })
        }
    }

    @Test func `a request is forgotten after a day`() async throws {
        try await withLedger { ledger in
            _ = try ledger.beginIdempotent(key: "a", scope: "s", digest: [1], at: 1000)
            try ledger.finishIdempotent(key: "a", scope: "s", status: 200, location: nil, body: [])
            let last = try ledger.beginIdempotent(key: "a", scope: "s", digest: [1], at: 999 + Self.day)
            #expect(last == .answered(status: 200, location: nil, body: []))

            #expect(
                try ledger.beginIdempotent(key: "a", scope: "s", digest: [1], at: 1000 + Self.day) == .new)
        }
    }

    @Test func `answers whose time is over leave the store, some with each new request`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                let queue = try DatabaseQueue(path: settings(directory).path)
                for number in 0..<20 {
                    try feed.ledger.carryOut("old \(number)", "s", at: 1000)
                }
                let counts = try (Int64(999)...1001).map { time in
                    _ = try feed.ledger.beginIdempotent(
                        key: "\(time)", scope: "s", digest: [1], at: time + Self.day)
                    return try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM idempotency") }
                }
                #expect(counts == [21, 22 - ControlLedger.forgottenAtOnce, 3])
                try queue.close()
            }
        }
    }

    @Test func `the oldest requests make room`() async throws {
        try await withLedger { ledger in
            // The last one makes room for itself and for those after it.
            let count = ControlLedger.maximumIdempotent + 1
            #expect(try ledger.beginIdempotent(key: "1", scope: "s", digest: [1], at: 1) == .new)
            for number in 2...count { try ledger.carryOut("\(number)", "s", at: number) }

            let kept = try ledger.beginIdempotent(key: "65", scope: "s", digest: [1], at: count)
            #expect(kept == .answered(status: 200, location: nil, body: []))
            #expect(try ledger.beginIdempotent(key: "64", scope: "s", digest: [1], at: count) == .new)
            // One that goes on is not carried out twice, whatever became of its row.
            #expect(try ledger.beginIdempotent(key: "1", scope: "s", digest: [1], at: count) == .inProgress)
        }
    }

    @Test func `who has the most requests makes room, whoever asks`() async throws {
        try await withLedger { ledger in
            let owner = "POST /api/tasks key"
            #expect(try ledger.beginIdempotent(key: "first", scope: owner, digest: [1], at: 1) == .new)
            let count = ControlLedger.maximumIdempotent + 50
            for number in 1...count {
                let scope = "POST /api/sessions/\(number % 7)/pause device 0123456789ab"
                _ = try ledger.beginIdempotent(key: "\(number)", scope: scope, digest: [1], at: 2)
            }
            #expect(try ledger.beginIdempotent(key: "other", scope: owner, digest: [1], at: 3) == .new)

            for key in ["first", "other"] {
                let again = try ledger.beginIdempotent(key: key, scope: owner, digest: [1], at: 4)
                #expect(again == .inProgress)
            }
        }
    }

    @Test func `who has few requests loses few of them at once`() async throws {
        try await withLedger { ledger in
            let count = ControlLedger.maximumIdempotent + 1
            for number in 1...count {
                try ledger.carryOut("\(number)", "POST /api/tasks device \(number % 1000)", at: number)
            }

            let scope = "POST /api/tasks device 1"
            let kept = try ledger.beginIdempotent(key: "1001", scope: scope, digest: [1], at: 1)
            #expect(kept == .answered(status: 200, location: nil, body: []))
            #expect(try ledger.beginIdempotent(key: "1", scope: scope, digest: [1], at: 1) == .new)
        }
    }

    private struct Missing: Error {}
}

extension ControlLedger {
    /// Begins a request and ends it.
    fileprivate func carryOut(_ key: String, _ scope: String, at time: Int64) throws {
        _ = try beginIdempotent(key: key, scope: scope, digest: [1], at: time)
        try finishIdempotent(key: key, scope: scope, status: 200, location: nil, body: [])
    }
}
