import Testing

@testable import RalphControl

@Suite struct RunStateTests {
    typealias Phase = RunRecord.Phase
    typealias Outcome = (Phase, [RunState.Action])

    /// One row of the table: what one input leads to from each phase, in the order of `Phase.allCases`: starting,
    /// running, pausing, suspended, halted, resuming, stopping, ended.
    struct Row: Sendable {
        let name: String
        let input: RunState.Input
        let outcomes: [Phase: (Phase, [RunState.Action])]
    }

    private static func row(_ name: String, _ input: RunState.Input, _ outcomes: [Outcome]) -> Row {
        Row(
            name: name, input: input,
            outcomes: Dictionary(uniqueKeysWithValues: zip(Phase.allCases, outcomes)))
    }

    private static func seen(
        lock: Bool = false, suspended: Bool = false, followed: Bool = false, process: Bool = false,
        end: String? = nil, gate: Bool = false, continuation: Bool = false
    ) -> RunState.Input {
        .observed(
            .init(
                lockHeld: lock, isSuspended: suspended, isFollowed: followed, isProcessAlive: process,
                endReason: end, hasGate: gate, isContinuation: continuation))
    }

    static let table: [Row] = [
        row(
            "pause with gate", .pauseRequested(hasGate: true),
            [
                (.pausing, [.placeGate]), (.pausing, [.placeGate]), (.pausing, []), (.suspended, []),
                (.halted, []),
                (.pausing, [.placeGate]), (.stopping, [.refuseSuperseded]), (.ended, [.refuseNotRunning]),
            ]),
        row(
            "pause without", .pauseRequested(hasGate: false),
            [
                (.pausing, [.placeStopFile]), (.pausing, [.placeStopFile]), (.pausing, []), (.suspended, []),
                (.halted, []), (.pausing, [.placeStopFile]), (.stopping, [.refuseSuperseded]),
                (.ended, [.refuseNotRunning]),
            ]),
        row(
            "resume", .resumeRequested,
            [
                (.starting, []), (.running, []), (.running, [.withdrawPause]), (.resuming, [.requestResume]),
                (.resuming, [.continueRun]), (.resuming, []), (.stopping, [.refuseSuperseded]),
                (.ended, [.refuseNotRunning]),
            ]),
        row(
            "stop", .stopRequested,
            Phase.allCases.map { ($0 == .ended ? .ended : .stopping, [.stop]) }),
        row(
            "launch failed", .launchFailed,
            [
                (.ended, [.clearStale]), (.running, []), (.ended, [.clearStale]), (.suspended, []),
                (.halted, []),
                (.halted, [.clearStale]), (.ended, [.clearStale]), (.ended, []),
            ]),
        row(
            "alive with lock", seen(lock: true, process: true),
            [
                (.running, []), (.running, []), (.pausing, []), (.running, [.tellResumed]),
                (.running, [.adopt]),
                (.running, [.tellResumed]), (.stopping, []), (.running, [.adopt]),
            ]),
        row("alive without lock", seen(process: true), Phase.allCases.map { ($0, []) }),
        row(
            "suspended", seen(lock: true, suspended: true, process: true),
            [
                (.running, []), (.suspended, [.tellSuspended]), (.suspended, [.tellSuspended]),
                (.suspended, []),
                (.suspended, [.adopt, .tellSuspended]), (.resuming, []), (.stopping, []),
                (.suspended, [.adopt, .tellSuspended]),
            ]),
        row(
            "stale suspension without lock", seen(suspended: true, process: true),
            Phase.allCases.map { ($0, []) }),
        row(
            "gone, stopped", seen(end: "stopped"),
            [
                (.ended, [.clearStale]), (.ended, [.clearStale]), (.halted, [.clearStale]),
                (.ended, [.clearStale]),
                (.halted, []), (.ended, [.clearStale]), (.ended, [.clearStale]), (.ended, []),
            ]),
        row(
            "gone, stopped, with our gate", seen(end: "stopped", gate: true),
            Phase.allCases.map { phase in
                phase == .halted || phase == .ended ? (phase, []) : (.ended, [.clearStale])
            }),
        row(
            "gone, stopped, a continuation", seen(end: "stopped", gate: true, continuation: true),
            Phase.allCases.map { phase in
                switch phase {
                case .halted, .ended: (phase, [])
                case .pausing, .resuming: (.halted, [.clearStale])
                default: (.ended, [.clearStale])
                }
            }),
        row(
            "gone, interrupted", seen(end: "interrupted"),
            [
                (.ended, [.clearStale]), (.ended, [.clearStale]), (.halted, [.clearStale]),
                (.ended, [.clearStale]),
                (.halted, []), (.ended, [.clearStale]), (.ended, [.clearStale]), (.ended, []),
            ]),
        row(
            "gone, completed", seen(end: "completed"),
            Phase.allCases.map { phase in
                phase == .halted || phase == .ended ? (phase, []) : (.ended, [.clearStale])
            }),
        row(
            "gone, and so is a run that followed", seen(followed: true, end: "stopped"),
            [
                (.ended, [.clearStale]), (.ended, [.adopt, .clearStale]), (.ended, [.adopt, .clearStale]),
                (.ended, [.adopt, .clearStale]), (.ended, [.adopt, .clearStale]), (.ended, [.clearStale]),
                (.ended, [.clearStale]), (.ended, []),
            ]),
        row(
            "gone, and so is a run that followed without a word", seen(followed: true),
            Phase.allCases.map { phase in
                switch phase {
                case .ended: (phase, [])
                case .running, .pausing, .suspended, .halted: (.ended, [.adopt, .clearStale, .tellEnded])
                default: (.ended, [.clearStale, .tellEnded])
                }
            }),
        row(
            "gone without a word", seen(),
            Phase.allCases.map { phase in
                phase == .halted || phase == .ended ? (phase, []) : (.ended, [.clearStale, .tellEnded])
            }),
    ]

    @Test func `every input has its outcome from every phase`() {
        for row in Self.table {
            for phase in Phase.allCases {
                var state = RunState(phase)
                let actions = state.handle(row.input)
                let expected = row.outcomes[phase]
                #expect(state.phase == expected?.0, "\(row.name) from \(phase)")
                #expect(actions == expected?.1, "\(row.name) from \(phase)")
            }
        }
    }

    @Test func `fifty pauses and resumes end where they began`() {
        var state = RunState(.running)
        for _ in 0..<50 {
            #expect(state.handle(.pauseRequested(hasGate: true)) == [.placeGate])
            #expect(state.handle(.pauseRequested(hasGate: true)) == [])
            _ = state.handle(Self.seen(lock: true, suspended: true, process: true))
            #expect(state.handle(.resumeRequested) == [.requestResume])
            _ = state.handle(Self.seen(lock: true, process: true))
            #expect(state.phase == .running)
        }
    }
}
