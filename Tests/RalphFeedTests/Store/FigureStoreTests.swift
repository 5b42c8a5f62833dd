import GRDB
import Logging
import RalphFeed
import RalphTestSupport
import RalphWire
import Testing

/// Figures are added up with the events that they are of.
@Suite(.timeLimit(.minutes(1)))
struct FigureStoreTests {
    private func figures(_ days: [Int64: Int64]) -> FigureDays {
        var result = FigureDays()
        for (day, count) in days {
            result.change(at: day * FigureDays.dayMilliseconds) { figures in
                (figures.iterations, figures.costNanodollars) = (count, count * 10)
                figures.peakInputTokens = count
            }
        }
        return result
    }

    private func appending(_ days: [Int64: Int64], to number: UInt64 = 1) -> SessionAppend {
        var append = append(batch(1), to: number)
        append.figures = figures(days)
        return append
    }

    @Test func `what is handed on is added to its days`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                try feed.append([appending([20_000: 2, 20_001: 3]), appending([20_001: 9], to: 2)])
                try feed.append([append(batch(1)), appending([20_001: 4])])

                let found = try feed.figures(of: session(1))
                #expect(found.sorted.map(\.day) == [20_000, 20_001])
                #expect(found.sorted.map(\.figures.iterations) == [2, 7])
                #expect(found.sorted.map(\.figures.peakInputTokens) == [2, 4])
                let all = try feed.figures(in: 20_001...20_001)
                #expect(all.mapValues(\.total.costNanodollars) == [session(1): 70, session(2): 90])
            }
        }
    }

    @Test func `a store that is left at any moment has counted what it has stored`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                for round in 1...20 {
                    try feed.append([appending([20_000 + Int64(round % 3): 1])])
                    for suffix in ["", "-wal", ".journal"] {
                        try directory.copy("state/feed.sqlite" + suffix, to: "crash/\(round).sqlite" + suffix)
                    }
                }
            }
            for round in 1...20 {
                let copy = FeedConfiguration.copy(
                    of: settings(directory), at: directory.path + "/crash/\(round).sqlite")
                let (head, counted) = try withFeed(copy) { feed in
                    (feed.head(of: session(1))?.last, try feed.figures(of: session(1)).total.iterations)
                }
                #expect(head == Int64(round) && counted == head)
            }
        }
    }

    @Test func `an append that fails counts nothing`() async throws {
        try await withTemporaryDirectory { directory in
            let configuration = settings(directory)
            // Too large for the journal: it goes into the tables or fails.
            var failing = append(batch(1, padding: 70_000))
            failing.figures = figures([20_000: 7])
            try withFeed(configuration) { feed in
                try feed.append([appending([20_000: 1])])
                let blocker = try DatabaseQueue(path: configuration.path)
                try blocker.write { db in
                    try db.execute(
                        sql: """
                            CREATE TRIGGER stop BEFORE UPDATE ON figure WHEN new.iterations > 5
                            BEGIN SELECT RAISE(ABORT, 'no'); END
                            """)
                }
                #expect(throws: StoreError.self) { try feed.append([failing]) }
                #expect(feed.head(of: session(1))?.last == 1)
                try blocker.write { try $0.execute(sql: "DROP TRIGGER stop") }
                try blocker.close()

                try feed.append([failing])
                #expect(try feed.figures(of: session(1)).total.iterations == 8)
            }
        }
    }

    @Test func `what goes on is found until it is over, with the run that it is of`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                var begun = FigureDays()
                begun.open(\.haltedMilliseconds, at: 5000)
                try feed.ledger.saveRun(session(1), [1], figures: begun)
                #expect(try feed.figures(in: 0...0)[session(1)]?.open.haltedMilliseconds == 5000)

                var over = FigureDays()
                over.addSpan(\.haltedMilliseconds, from: 5000, to: 9000)
                over.close(\.haltedMilliseconds, since: 5000)
                try feed.ledger.saveRun(session(1), [2], figures: over)
                #expect(try feed.figures(in: 1...2).isEmpty)
                #expect(try feed.figures(of: session(1)).total.haltedMilliseconds == 4000)
            }
        }
    }

    @Test func `a store of a version without figures begins to count`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { try $0.append([append(batch(3))]) }
            try directory.execute("DROP TABLE figure")
            try directory.execute("DELETE FROM grdb_migrations WHERE identifier = 'figures'")

            try withFeed(settings(directory)) { feed in
                #expect(try feed.figures(of: session(1)).isEmpty)
                try feed.append([appending([20_000: 2])])
                #expect(try feed.figures(of: session(1)).total.iterations == 2)
            }
        }
    }

    @Test func `sums end at the largest number`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                for _ in 1...3 { try feed.append([appending([20_000: .max / 20])]) }
                #expect(try feed.figures(of: session(1)).total.costNanodollars == .max)
            }
        }
    }
}
