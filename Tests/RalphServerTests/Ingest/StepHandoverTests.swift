import Foundation
import RalphTestSupport
import RalphWire
import Synchronization
import Testing

@testable import RalphServer
@testable import RalphSessions

/// Steps are told apart by the one session that each has read.
@Suite(.timeLimit(.minutes(1)))
struct StepHandoverTests {
    /// What happened, in its order; taking waits for a permission.
    private final class Scene: Sendable {
        let told = Mutex<[String]>([])
        let permissions = DispatchSemaphore(value: 0)

        func tell(_ text: String) { told.withLock { $0.append(text) } }

        func handover() throws -> StepHandover {
            try StepHandover { [self] step in
                permissions.wait()
                tell("took \(step.reads[0].id)")
            }
        }
    }

    private static func step(_ number: Int) -> WatchStep {
        var step = WatchStep()
        step.reads = [
            SessionRead(
                id: id(number), batch: EventBatch(), checkpoints: [:], state: SessionState(),
                stateChanged: false, hasMore: false, readAgainAt: nil, problems: [])
        ]
        return step
    }

    private static func id(_ number: Int) -> SessionID { SessionID(digestPrefix: UInt64(number)) }

    @Test func `one step is taken while the next one is read, in their order`() async throws {
        let scene = Scene()
        let handover = try scene.handover()
        handover.give(Self.step(1))
        scene.tell("gave 1")
        let second = Self.step(2)
        let rest = Task.detached {
            handover.give(second)
            scene.tell("gave 2")
            handover.end()
            scene.tell("ended")
            handover.end()
        }
        scene.permissions.signal()
        try await eventually(within: .seconds(10), "the second one is given") {
            scene.told.withLock { $0.contains("gave 2") }
        }
        #expect(scene.told.withLock(\.self) == ["gave 1", "took \(Self.id(1))", "gave 2"])

        scene.permissions.signal()
        await rest.value
        #expect(
            scene.told.withLock(\.self) == [
                "gave 1", "took \(Self.id(1))", "gave 2", "took \(Self.id(2))", "ended",
            ])
    }

    @Test func `who asks for another session does not wait`() async throws {
        let scene = Scene()
        let handover = try scene.handover()
        handover.give(Self.step(1))
        handover.settle(Self.id(2))
        scene.tell("settled 2")
        let first = Self.id(1)
        let rest = Task.detached {
            handover.settle(first)
            scene.tell("settled 1")
            handover.settle()
            handover.end()
        }
        scene.permissions.signal()
        await rest.value
        #expect(scene.told.withLock(\.self) == ["settled 2", "took \(Self.id(1))", "settled 1"])
    }

    @Test func `nothing need be given`() throws {
        let handover = try Scene().handover()
        handover.settle()
        handover.end()
    }
}
