import Logging
import RalphSessions
import RalphTestSupport
import RalphWire
import Synchronization
import Testing

@testable import RalphControl
@testable import RalphServer

/// A book of questions with a session, a store and a run that are made up.
final class QuestionStage: Sendable {
    struct Refusal: Error {}

    private struct State {
        var facts = QuestionFacts()
        var saved: [String: Question] = [:]
        var told: [QuestionEvent] = []
        var delivered: [String] = []
        var refusals = 0
        var isStoreBroken = false
        var canStore = true
        var isKnown = true
        var isRemoved = false
        var revoked: Set<String> = []
    }

    static let session = SessionID(digestPrefix: 9)
    let clock = TestClock()
    let changes = ChangedSessions()
    private let state = Mutex(State())
    private let gate = Mutex<ThreadGate?>(nil)
    private let way = Mutex<(@Sendable (Question) async throws -> Void)?>(nil)
    private let reading = Mutex<(@Sendable () async -> Bool)?>(nil)

    init() {
        change {
            $0.areRowsKnown = true
            $0.isLive = true
        }
    }

    /// A stage whose run will wait for the answer to its one question, with a book and the question's id.
    static func waitingAhead() async throws -> (QuestionStage, QuestionBook, String) {
        let stage = QuestionStage()
        stage.change { $0.doesWait = true }
        stage.ask("A", at: 0)
        let book = try stage.book()
        await book.step()
        return (stage, book, try #require(book.list().first?.id))
    }

    /// A book on what is stored.
    ///
    /// - Parameter scan: returns when the sessions have been read; `nil`: they have.
    func book(scan: (@Sendable () async -> Void)? = nil) throws -> QuestionBook {
        var wait: (@Sendable () async -> Bool)?
        if let scan {
            wait = {
                await scan()
                return true
            }
        }
        return try QuestionBook(
            ports: QuestionPorts(
                load: { self.state.withLock { Array($0.saved.values) } },
                save: { question, _ in try self.save(question) },
                facts: { _, _ in
                    self.gate.withLock { $0 }?.pass()
                    return self.state.withLock { $0.isKnown ? $0.facts : nil }
                },
                files: { _, _ in await self.files() },
                isLive: { _ in self.state.withLock { $0.facts.isLive } },
                canStore: { self.state.withLock { $0.canStore } },
                waitForFirstScan: wait,
                tell: { _, event, _ in self.state.withLock { $0.told.append(event) } },
                deliver: { question, text, requester in
                    do throws(ControlError) {
                        try requester.requireRight()
                    } catch {
                        throw Problem(error, during: .answer)
                    }
                    let way = self.way.withLock { $0 }
                    try await way?(question)
                    try self.deliver(question, text)
                }, requester: { self.requester($0) }, clock: clock.clock),
            changes: changes, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    func change(_ body: (inout QuestionFacts) -> Void) {
        state.withLock { body(&$0.facts) }
        changes.add([Self.session])
    }

    func ask(_ text: String, at time: Int64, timeout seconds: Int64? = 100) {
        change { facts in
            facts.timeoutSeconds = seconds
            facts.rows.append(
                PendingQuestion(
                    text: text, askedAt: time, iteration: 1,
                    place: .init(file: "events.jsonl", generation: 0, offset: time)))
        }
    }

    /// Lets the next `count` deliveries fail.
    func refuse(_ count: Int) { state.withLock { $0.refusals = count } }
    /// Where the book waits when it looks at files.
    func keep(at gate: ThreadGate) { self.gate.withLock { $0 = gate } }
    /// What happens to each delivery on its way.
    func onTheWay(_ happens: @escaping @Sendable (Question) async throws -> Void) {
        way.withLock { $0 = happens }
    }
    /// What happens while files are read, which gives whether they are known then.
    func onReading(_ happens: @escaping @Sendable () async -> Bool) { reading.withLock { $0 = happens } }
    /// Whether rows are stored, and so known.
    func letStore(_ canStore: Bool) { state.withLock { $0.canStore = canStore } }
    /// Nothing is known of the session any more.
    func forget() { state.withLock { $0.isKnown = false } }
    /// And nothing is where it was.
    func remove() { state.withLock { ($0.isKnown, $0.isRemoved) = (false, true) } }
    /// A device, by its id.
    func requester(_ device: String) -> Requester {
        Requester("device \(device)", device: device) { !self.state.withLock { $0.revoked.contains(device) } }
    }
    func revoke(_ device: String) { state.withLock { _ = $0.revoked.insert(device) } }
    func breakStore(_ isBroken: Bool) { state.withLock { $0.isStoreBroken = isBroken } }

    var told: [QuestionEvent.Kind] { state.withLock { $0.told.map(\.kind) } }
    var delivered: [String] { state.withLock { $0.delivered } }
    var saved: [Question] { state.withLock { Array($0.saved.values) } }

    /// Stores a question behind the book's back.
    func put(_ question: Question) { state.withLock { $0.saved[question.id] = question } }

    private func save(_ question: Question) throws {
        try state.withLock { state in
            if state.isStoreBroken { throw Refusal() }
            state.saved[question.id] = question
        }
    }

    private func files() async -> QuestionFiles? {
        let files = state.withLock { state in
            QuestionFiles(
                web: state.facts.web, telegramAskedAt: state.facts.telegramAskedAt, isRemoved: state.isRemoved
            )
        }
        let reading = reading.withLock { $0 }
        return await reading?() == false ? nil : files
    }

    /// An answer must be stored before it comes here.
    private func deliver(_ question: Question, _ text: String) throws {
        try state.withLock { state in
            guard state.refusals == 0, state.saved[question.id]?.reply?.text == text else {
                state.refusals -= 1
                throw Refusal()
            }
            state.delivered.append(text)
        }
    }

    /// Runs `body` beside the book's service.
    func running(_ book: QuestionBook, _ body: @Sendable @escaping () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await book.run() }
            defer { group.cancelAll() }
            try await body()
        }
    }
}

extension QuestionBook {
    /// A step of the service, and its deliveries to their ends.
    func step() async {
        for held in await advance() { await deliver(held) }
    }
}
