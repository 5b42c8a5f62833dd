import RalphControl
import RalphSessions
import RalphWire

/// What the book of questions reads of sessions' files, where a file system may not answer: on threads of their own.
extension QuestionPorts {
    /// How long a look waits: those of all sessions wait with it.
    private static let lookLimit: Duration = .seconds(2)
    /// How long an answer waits, which may wait for a look before it and behind it: 8 s together.
    private static let answerLimit: Duration = .seconds(3)

    /// - Returns: `nil`: not known.
    static func files(
        of session: SessionID, hasOpen: Bool, _ control: ControlService
    ) async -> QuestionFiles? {
        guard let entry = control.catalogue.entry(session) else {
            return hasOpen ? await removal(of: session, control) : QuestionFiles()
        }
        guard isAsking(entry, hasOpen: hasOpen) else { return QuestionFiles() }
        let directory = entry.session.directory
        // What does not answer is not known.
        return try? await read(at: directory.workspace, within: lookLimit, control) {
            try Self.files(in: directory)
        }
    }

    /// - Throws: the reason where what is there cannot be known.
    static func files(in directory: SessionDirectory) throws(SystemCode) -> QuestionFiles {
        QuestionFiles(
            web: try WebQuestion.load(directory.robotQuestion),
            telegramAskedAt: try TelegramState.askedAt(directory.telegramState))
    }

    /// Whether nothing is any more where a session was that is not known, though the root around it can be read: nobody has
    /// only taken that away.
    private static func removal(of session: SessionID, _ control: ControlService) async -> QuestionFiles? {
        guard let directory = control.registry.run(session)?.record.directory,
            let report = control.catalogue.report,
            let root = report.roots.first(where: { directory.isPath(inside: $0) }),
            !report.unreadableRoots.contains(where: { $0.path.isPath(root) })
        else { return QuestionFiles(isOfUnknown: true) }
        // What does not answer is not known.
        return try? await read(at: directory, within: lookLimit, control) {
            QuestionFiles(
                isRemoved: EntryStatus(at: root) != nil && EntryStatus.isAbsent(directory), isOfUnknown: true)
        }
    }

    /// What the run is given; `nil`: it does not wait for the answer any more, and would take it for a stale one of the next
    /// question's.
    ///
    /// - Throws: ``QuestionError/notDelivered(_:)`` if that cannot be known, and ``Problem`` 503 where its file system does not
    ///   answer.
    static func answer(
        _ text: String, to question: Question, _ control: ControlService
    ) async throws -> HumanAnswer? {
        guard let web = question.web else { return .row(text: text) }
        guard let directory = control.catalogue.directory(of: question.session) else { return nil }
        let path = directory.robotQuestion
        let (asked, isAbsent) = try await read(at: directory.workspace, within: answerLimit, control) {
            // One of which nothing is known is none that is absent.
            let asked = try? WebQuestion.load(path)
            return (asked, asked == nil && EntryStatus.isAbsent(path))
        }
        guard asked?.place == web else {
            guard asked != nil || isAbsent else {
                // One that is there, and cannot be read, may be this one's.
                throw QuestionError.notDelivered("the robot's question cannot be read")
            }
            return nil
        }
        return .web(id: String(web.number), loopID: web.loopID, token: web.token, text: text)
    }

    /// What `work` gives, which may block; one look that takes too long shows that `place` is silent.
    ///
    /// - Throws: ``Problem`` 503 where `place` does not answer in time.
    private static func read<Value: Sendable>(
        at place: String, within limit: Duration, _ control: ControlService,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let threads = control.threads
        // Goes on when whoever gave an answer goes away.
        let reading = Task<Value, any Error> {
            try await threads.run(at: place, of: Self.questionsKind, within: limit, proof: 1, work)
        }
        return try await reading.value
    }

    /// Beside other work at the same place.
    static let questionsKind = "questions"
}
