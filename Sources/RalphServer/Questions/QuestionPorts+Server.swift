import Foundation
import RalphControl
import RalphFeed
import RalphSessions
import RalphWire

/// The book of questions in the server: its files, its store, its feed and its runs.
extension QuestionPorts {
    init(control: ControlService) {
        let (catalogue, ledger, ingest) = (control.catalogue, control.ledger, control.ingest)
        self.init(
            load: {
                try ledger.questions().compactMap { stored in
                    // One of another version that no longer decodes is found again in its session's rows.
                    try? JSONDecoder().decode(Question.self, from: Data(stored.value))
                }
            },
            save: { question, time in
                try ledger.saveQuestion(
                    question.id, session: question.session, isOpen: question.standing == .open,
                    Array(try JSONEncoder().encode(question)), at: time)
            },
            facts: { session, hasOpen in
                catalogue.entry(session).map { Self.facts($0, hasOpen: hasOpen) }
            },
            files: { session, hasOpen in await Self.files(of: session, hasOpen: hasOpen, control) },
            isLive: { session in catalogue.entry(session).map(Self.isLive) ?? false },
            canStore: { !catalogue.isBlind() },
            waitForFirstScan: { await ingest.waitForFirstScan() },
            tell: { session, event, time in
                try await ingest.tell(
                    .event(type: event.kind.rawValue, payload: event.payload, at: time), to: session)
            },
            deliver: { question, text, requester in
                try await Self.deliver(question, text, by: requester, control)
            },
            requester: { control.requester(ofDevice: $0) })
    }

    private static func isLive(_ entry: CatalogueEntry) -> Bool {
        hasProcess(entry) && !entry.standing(now: WallClock.milliseconds()).isOver
    }

    /// Whether the run has a process that can be seen here, or is to have one: nobody else takes an answer.
    private static func hasProcess(_ entry: CatalogueEntry) -> Bool {
        entry.liveness.lockHeld || entry.control.map { $0.phase != .ended } == true
    }

    /// Whether there may be something to read in its files.
    static func isAsking(_ entry: CatalogueEntry, hasOpen: Bool) -> Bool {
        hasOpen || !entry.state.questions.isEmpty || entry.liveness.questionWrittenAt != nil
    }

    private static func facts(_ entry: CatalogueEntry, hasOpen: Bool) -> QuestionFacts {
        let state = entry.state
        var facts = QuestionFacts()
        facts.rows = state.questions
        // A session that was just found has a state without a single event in it.
        facts.areRowsKnown = state.engineEvents > 0
        // Nothing more is asked for then, at each of many events.
        guard isAsking(entry, hasOpen: hasOpen) else { return facts }
        facts.areRowsFull = state.questions.count >= PendingQuestion.maximumKept
        facts.runStartedAt = state.runStartedAt
        facts.completedIteration = state.completedIteration
        facts.runEndedAt = entry.isGone ? .max : state.runEndedAt
        facts.isLive = isLive(entry)
        facts.isOver = entry.standing(now: WallClock.milliseconds()).isOver
        if !facts.isOver, !hasProcess(entry) {
            facts.overAt = state.lastEventAt.map { $0 + CatalogueEntry.activityWindow }
        }
        let config = entry.runConfig
        facts.timeoutSeconds = config?.robotTimeoutSeconds.map(Int64.init)
        facts.doesWait = config?.isRobotEnabled == true && entry.session.mayWait(entry.liveness)
        facts.waitsOnFile = config?.isRobotOnWeb == true
        return facts
    }

    private static func deliver(
        _ question: Question, _ text: String, by requester: Requester, _ control: ControlService
    ) async throws {
        let controller = try control.controller(for: question.session)
        guard let answer = try await answer(text, to: question, control) else {
            await readRows(of: question.session, control)
            throw QuestionError.expired(.overtaken)
        }
        let isTaken: Bool
        do {
            isTaken = try await controller.answer(
                answer, lateFrom: question.lateFrom, by: requester,
                marker: question.marker ?? question.id)
        } catch ControlError.notRunning {
            throw QuestionError.expired(.ended)
        } catch ControlError.unwritable(_, let reason) {
            throw QuestionError.notDelivered(Problem.oneLine(reason))
        } catch ControlError.unsafePath {
            throw QuestionError.notDelivered("a path leads out of the workspace")
        } catch {
            throw Problem(error, during: .answer)
        }
        guard isTaken else {
            await readRows(of: question.session, control)
            throw QuestionError.expired(.expired)
        }
    }

    /// Has the row read that tells of somebody else's answer, if there is one.
    private static func readRows(of session: SessionID, _ control: ControlService) async {
        guard control.catalogue.storeProblem == nil else { return }
        // What cannot be read tells nothing.
        try? await control.ingest.readToEnd(of: session)
    }
}
