import GRDB
import RalphTestSupport
import Synchronization
import Testing

@testable import RalphFeed

struct ConnectionPoolTests {
    /// GRDB's own pool ends the process here.
    @Test func `whoever comes while the connections are closed is told so`() async throws {
        try await withTemporaryDirectory { directory in
            for _ in 0..<100 {
                let pool = try ConnectionPool(
                    path: directory.path + "/file.sqlite", configuration: Configuration())
                let users = try Users(of: pool)
                try await eventually(within: .seconds(10), "uses") { users.done > 10 }

                pool.close()

                try await eventually(within: .seconds(10), "answers") { users.refused == 4 }
            }
        }
    }

    /// Three that read and one that writes, until they are told that they cannot.
    private final class Users: Sendable {
        private let uses = Atomic(0)
        private let refusals = Atomic(0)

        init(of pool: ConnectionPool) throws {
            for number in 0..<4 {
                try NamedThread.start("user") { self.use(pool, isWriting: number == 0) }
            }
        }

        var done: Int { uses.load(ordering: .relaxed) }
        var refused: Int { refusals.load(ordering: .relaxed) }

        private func use(_ pool: ConnectionPool, isWriting: Bool) {
            do {
                while true {
                    let number =
                        try isWriting
                        ? pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "SELECT 1") }
                        : pool.read { try Int.fetchOne($0, sql: "SELECT 1") }
                    #expect(number == 1)
                    uses.wrappingAdd(1, ordering: .relaxed)
                }
            } catch StoreError.closed {
                refusals.wrappingAdd(1, ordering: .relaxed)
            } catch {
                Issue.record(error)
            }
        }
    }
}
