import RalphTestSupport
import Testing

@testable import RalphControl

/// Commands that do nothing but take their turn.
private actor Turns {
    private let queue = CommandQueue()
    private(set) var ran: [String] = []
    private(set) var refused: [String: CommandQueue.Turn] = [:]

    var waiting: Int { queue.waiting }

    /// Takes the turn and keeps it until ``release()``.
    func hold() -> Bool { queue.takeTurn() }

    func release() { queue.leave() }

    func giveUp(_ ticket: Int) { queue.giveUp(ticket) }

    func run(_ name: String, _ kind: CommandQueue.Kind) async {
        switch await withCheckedContinuation({ queue.wait(kind, Int(name) ?? 0, $0) }) {
        case .go:
            ran.append(name)
            queue.leave()
        case let turn: refused[name] = turn
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct CommandQueueTests {
    /// Lets `commands` wait behind one that holds the turn, in their order, and then go.
    private func play(_ commands: [(String, CommandQueue.Kind)]) async throws -> Turns {
        let turns = Turns()
        #expect(await turns.hold())
        await withTaskGroup(of: Void.self) { group in
            for (name, kind) in commands {
                let before = (await turns.waiting, await turns.refused.count)
                group.addTask { await turns.run(name, kind) }
                // A command has taken its place, or was refused, before the next one comes.
                try? await eventually(within: .seconds(5), name) {
                    let now = (await turns.waiting, await turns.refused.count)
                    return now != before
                }
            }
            await turns.release()
        }
        return turns
    }

    @Test func `commands act in the order in which they came`() async throws {
        let turns = try await play([("a", .change), ("b", .message), ("c", .change)])

        #expect(await turns.ran == ["a", "b", "c"])
    }

    @Test func `a stop goes first and the changes that waited are overtaken`() async throws {
        let turns = try await play([("a", .message), ("b", .change), ("stop", .stop), ("c", .change)])

        #expect(await turns.ran == ["stop", "a", "c"])
        #expect(await turns.refused == ["b": .superseded])
    }

    @Test func `no more than sixteen commands wait, and a stop always may`() async throws {
        var commands = (0..<17).map { ("\($0)", CommandQueue.Kind.message) }
        commands.append(("stop", .stop))

        let turns = try await play(commands)

        #expect(await turns.refused == ["16": .busy])
        #expect(await turns.ran.first == "stop")
        #expect(await turns.ran.count == 17)
    }

    @Test func `who waited for long is refused, and nobody twice`() async throws {
        let turns = Turns()
        #expect(await turns.hold())
        await withTaskGroup(of: Void.self) { group in
            for (name, kind) in [("1", CommandQueue.Kind.stop), ("2", .message), ("3", .change)] {
                group.addTask { await turns.run(name, kind) }
                // In this order, or the stop overtakes the change.
                try? await eventually(within: .seconds(5), name) { await turns.waiting == Int(name) }
            }
            for ticket in [2, 2] { await turns.giveUp(ticket) }
            await turns.release()
        }

        #expect(await turns.ran == ["1", "3"])
        #expect(await turns.refused == ["2": .busy])
    }
}
