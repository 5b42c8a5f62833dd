import Foundation
import Logging
import RalphWire
import Synchronization

@testable import RalphServer
@testable import RalphSessions

/// Sentinels with a session that is made up of lines, and a clock that is moved.
final class SentinelStage: Sendable {
    private struct State {
        var narrator = SessionNarrator(state: SessionState(), workspace: nil)
        var batch = EventBatch()
        var isAlive = true
        var isWaiting = false
        var refusals: [ControlNoteProblem] = []
        /// Notes that cannot be stored yet; `nil`: all can.
        var kept: [ControlNote]?
    }

    static let session = SessionID(digestPrefix: 9)
    let clock = TestClock(1_795_230_000_000)
    let changes = ChangedSessions()
    private let state = Mutex(State())

    init(isHistory: Bool = false) {
        if !isHistory { endFirstSight() }
        changes.add([Self.session])
    }

    func watch(_ change: (inout SentinelSettings) -> Void = { _ in }) -> SentinelWatch {
        var settings = SentinelSettings()
        change(&settings)
        return SentinelWatch(
            rules: SentinelRules(settings: settings),
            ports: SentinelPorts(
                facts: { _ in self.facts }, tell: { try self.take($1) }, clock: clock.clock),
            changes: changes, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Moves the clock by so many seconds.
    func wait(_ seconds: Int) { clock.move(to: clock.now + Int64(seconds) * 1000) }

    /// A row now.
    func row(_ topic: String, _ payload: String = "x", more: String = "") {
        let line =
            #"{"topic":"\#(topic)","ts":"\#(Timestamp.text(clock.now))","payload":"\#(payload)"\#(more)}"#
        state.withLock { state in
            Array(line.utf8).withUnsafeBytes { bytes in
                state.narrator.readEngineLine(
                    bytes, file: "events.jsonl", generation: 0, offset: 0, fileTime: clock.now,
                    into: &state.batch)
            }
        }
        changes.add([Self.session])
    }

    func summary(_ iteration: Int, tokens: Int, seconds: Int) {
        row(
            "iteration.summary",
            #"{\"duration_ms\":\#(seconds * 1000),\"output_tokens\":\#(tokens)}"#,
            more: #","iteration":\#(iteration),"hat":"loop""#)
    }

    func endFirstSight() { state.withLock { $0.narrator.beginSigns() } }
    func setAlive(_ isAlive: Bool) {
        state.withLock { $0.isAlive = isAlive }
        changes.add([Self.session])
    }
    func setWaiting(_ isWaiting: Bool) { state.withLock { $0.isWaiting = isWaiting } }
    func refuse(_ problems: ControlNoteProblem...) { state.withLock { $0.refusals = problems } }

    /// From now on notes are taken and wait.
    func keepNotes() { state.withLock { $0.kept = [] } }
    var kept: [ControlNote] { state.withLock { $0.kept ?? [] } }

    /// The topics of all signals, without `sentinel.`.
    var told: [String] {
        state.withLock { state in
            state.batch.items.map { state.batch.text($0.topic) }.filter { $0.hasPrefix("sentinel.") }
                .map { String($0.dropFirst(9)) }
        }
    }

    /// Since when the stored state has the run as silent.
    var stalledSince: Int64? { state.withLock { $0.narrator.state.signs?.stalledSince } }

    /// What the newest event says.
    func data() throws -> [String: Any] {
        let text = state.withLock { state in
            state.batch.items.last.map { "{" + state.batch.text($0.members) + "}" } ?? "{}"
        }
        let event = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        return event?["data"] as? [String: Any] ?? [:]
    }

    private var facts: SentinelFacts {
        state.withLock { state in
            var facts = SentinelFacts()
            (facts.isAlive, facts.isWaiting) = (state.isAlive, state.isWaiting)
            facts.events = state.narrator.state.engineEvents + state.narrator.state.agentEvents
            facts.lastEventAt = state.narrator.state.lastEventAt
            facts.iteration = state.narrator.state.iteration
            facts.signs = state.narrator.state.signs
            return facts
        }
    }

    private func take(_ note: ControlNote) throws {
        try state.withLock { state in
            if let problem = state.refusals.first {
                state.refusals.removeFirst()
                throw problem
            }
            if state.kept == nil {
                state.narrator.note(note, into: &state.batch)
            } else {
                state.kept?.append(note)
            }
        }
        changes.add([Self.session])
    }
}
