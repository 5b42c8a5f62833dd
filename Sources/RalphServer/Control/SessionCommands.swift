import NIOPosix
import RalphControl
import RalphFeed
import RalphSessions
import RalphWire

/// What the control routes call: one function per command, each on record, each with a truthful answer.
struct SessionCommands: Sendable {
    /// UTF-8 bytes of a steering text; more is 413.
    static let maximumSteeringBytes = 1 << 20
    /// UTF-8 bytes of a payload; more is 413.
    static let maximumPayloadBytes = 1 << 20
    /// How long a command waits to see its own row in the feed before it answers without its number.
    static let echoLimit: Duration = .seconds(2)
    /// How long a start waits to see its session found, and a stop to see its end told.
    static let settleLimit: Duration = .seconds(2)

    let control: ControlService
    let feed: EventFeed
    let resolver: StartResolver
    let streams: StreamEnding
    var rule = CommandRule()

    var catalogue: SessionCatalogue { control.catalogue }

    // MARK: Start

    /// Starts a run; returns when it has registered itself and its session is listed.
    func start(_ request: StartRequest, by caller: Caller) async throws -> StartAnswer {
        let resolved = try await control.startThreads.run(at: request.line) { [resolver] in
            try resolver.resolve(request)
        }
        try rule.check(request, resolved.plan, by: caller)
        let session = DiscoveredSession(directory: resolved.directory)
        let id = resolved.directory.id
        let detail = "\(resolved.plan.workspace)\(request.worktree ? " (worktree)" : "")"
        let run = try await control.command("start", on: id, by: caller, detail: detail) { _ in
            let known = catalogue.entry(id)?.session ?? session
            return try await control.worktrees.starting(in: resolved.plan.workspace) {
                try await refusing(.start, id) { () async throws(ControlError) in
                    try await control.controller(of: known).start(
                        resolved.plan, by: control.requester(caller))
                }
            }
        }
        let started = SessionID(run.record.session) ?? id
        control.ingest.requestScan()
        await settle { catalogue.entry(started) != nil }
        let begun =
            started == id
            ? session
            : DiscoveredSession(
                directory: SessionDirectory(workspace: run.record.plan?.workspace ?? resolved.plan.workspace),
                worktreeOf: session.directory.workspace)
        list(begun)
        if started != id {
            let session = catalogue.entry(started)?.session ?? begun
            // A look at a file system that does not answer goes on without the answer.
            await Landing.wait(atMost: Self.settleLimit) { [control] in await control.take(run, in: session) }
        }
        return StartAnswer(started, run.record, isBeside: started != id)
    }

    /// Lists a session in which a run was started and that no scan has come to yet, as in a very large tree: whoever started
    /// it asks for it next. What the scan finds takes over.
    private func list(_ session: DiscoveredSession) {
        guard catalogue.entry(session.id) == nil else { return }
        let head = feed.head(of: session.id)
        let state = control.ingest.storedState(of: session.id)
        catalogue.insert(session) { entry in
            if let head { entry.head = head }
            if let state { entry.state = state }
        }
    }

    // MARK: Pause and resume

    func pause(_ id: SessionID, now: Bool, strict: Bool, by caller: Caller) async throws -> PauseAnswer {
        let controller = try control.controller(for: id)
        return try await control.command("pause", on: id, by: caller, detail: now ? "now" : nil) { _ in
            let outcome = try await refusing(.pause, id) { () async throws(ControlError) in
                try await controller.pause(now: now, by: control.requester(caller))
            }
            if strict, !outcome.changed { throw Problem.unchanged("session_already_paused") }
            return PauseAnswer(outcome)
        }
    }

    func resume(_ id: SessionID, strict: Bool, by caller: Caller) async throws -> ResumeAnswer {
        let controller = try control.controller(for: id)
        let workspace = try catalogue.require(id).session.directory.workspace
        return try await control.command("resume", on: id, by: caller) { _ in
            let outcome = try await control.worktrees.starting(in: workspace) {
                try await refusing(.resume, id) { () async throws(ControlError) in
                    try await controller.resume(by: control.requester(caller))
                }
            }
            if strict, !outcome.changed { throw Problem.unchanged("session_not_paused") }
            return ResumeAnswer(outcome)
        }
    }

    // MARK: Rows

    func steer(_ id: SessionID, _ text: String, urgent: Bool, by caller: Caller) async throws -> SteerAnswer {
        let controller = try control.controller(for: id)
        let detail = Problem.oneLine(text)
        return try await control.command(
            urgent ? "steer_urgent" : "steer", on: id, by: caller, detail: detail
        ) {
            marker in
            let expected = control.ingest.expectEcho(marker, id)
            let outcome = try await refusing(.steer, id) { () async throws(ControlError) in
                try await controller.steer(
                    text, urgent: urgent, by: control.requester(caller), marker: marker)
            }
            return SteerAnswer(await expected.landing(within: Self.echoLimit), outcome)
        }
    }

    /// Appends a row of a person's; `user.pause` and `user.abort` are carried out as well, once stored.
    func emit(_ id: SessionID, _ event: EmittedEvent, by caller: Caller) async throws -> EmitAnswer {
        // What it overrides may end the run.
        if event.isForced { try requireStart(caller) }
        let controller = try control.controller(for: id)
        var answer = try await control.command("emit", on: id, by: caller, detail: event.topic) { marker in
            let expected = control.ingest.expectEcho(marker, id)
            let isCertain = try await refusing(.emit, id) { () async throws(ControlError) in
                try await controller.emit(
                    topic: event.topic, payload: event.payload, force: event.isForced,
                    by: control.requester(caller), marker: marker)
            }
            let landing = await expected.landing(within: Self.echoLimit)
            return EmitAnswer(id, event.topic, landing, isScopeCertain: isCertain)
        }
        do {
            switch event.topic {
            case "user.pause":
                _ = try await pause(id, now: false, strict: false, by: caller)
                answer.acted = "pause"
            case "user.abort":
                try requireStart(caller)
                _ = try await stop(id, force: false, purge: false, by: caller)
                answer.acted = "stop"
            default: break
            }
        } catch {
            // The event is stored and said to be; what it stands for is told apart.
            answer.action_error = Problem(any: error).error
        }
        return answer
    }

    private func requireStart(_ caller: Caller) throws(Problem) {
        guard let scope = caller.scope, scope >= .start else { throw .insufficientScope(.start) }
    }

    // MARK: Stop

    /// Stops a run and whatever it left behind; the last event is stored and sent, and the session's streams
    /// have ended, before this returns (http-contract 3.4).
    func stop(_ id: SessionID, force: Bool, purge: Bool, by caller: Caller) async throws -> StopAnswer {
        let session = try catalogue.require(id).session
        let controller = try control.controller(for: id)
        let asked = WallClock.milliseconds()
        let outcome = try await control.command("stop", on: id, by: caller, detail: force ? "force" : nil) {
            _ in
            try await refusing(.stop, id) { () async throws(ControlError) in
                try await controller.stop(force: force, by: control.requester(caller))
            }
        }
        control.noteOrphans(of: id)
        // Its newest events alone do not make it run any more.
        if outcome.already { catalogue.update(session) { $0.foundOver = $0.head.last } }
        let after = catalogue.entry(id)?.standing(now: WallClock.milliseconds())
        if !outcome.already {
            await settle { catalogue.entry(id).map { $0.state.runEndedAt != nil || $0.isGone } ?? true }
            await streams.end(id, after: feed.head(of: id)?.last ?? 0)
        }
        // Without a process that is seen, what counts as running by its newest events does not run for commands.
        var answer = StopAnswer(outcome, final: after.flatMap { $0.isOver ? $0.status : nil } ?? .idle)
        // It may have ended by itself meanwhile, and what was read tells more than control can see, as of files that are gone.
        if !outcome.already, let state = catalogue.entry(id)?.state, state.runEndedAt ?? 0 >= asked {
            answer.end_reason = state.endReason ?? answer.end_reason
        }
        if purge {
            do {
                try await forget(session)
            } catch  where !outcome.already {
                // The run is stopped and said to be; what did not come of the rest is told apart.
                answer.purge_error = Problem(any: error).error
            }
        }
        return answer
    }

    private func forget(_ session: DiscoveredSession) async throws {
        // What is seen of its lock may be a moment old, and a session that is held is shown.
        await settle { catalogue.entry(session.id)?.liveness.lockHeld != true }
        try await control.startThreads.change(at: session.directory.workspace) {
            [registry = control.registry, settings = control.settings] in
            try registry.forget(session)
            guard let run = registry.run(session.id), run.record.phase == .ended else { return }
            settings.removeRuns(of: session.id, outputs: run.outputs) { registry.keeps(output: $0) }
        }
        await streams.end(session.id, after: feed.head(of: session.id)?.last ?? 0)
    }

    // MARK: The record

    /// The commands of a session, newest first.
    func commands(of id: SessionID, before: Int64?, limit: Int) async throws -> CommandList {
        let records = try await control.stateThreads.runIfActive { [ledger = control.ledger] in
            try ledger.commands(of: id, before: before, limit: limit + 1)
        }
        return CommandList(records, limit: limit)
    }

    // MARK: Parts

    /// Says of an error which command it happened to.
    private func refusing<T>(
        _ action: Problem.Action, _ id: SessionID, _ body: () async throws(ControlError) -> T
    ) async throws(Problem) -> T {
        do throws(ControlError) {
            return try await body()
        } catch .notRunning(let status) {
            // The word of the status, so that two answers never name one state differently.
            let shown = catalogue.entry(id)?.standing(now: WallClock.milliseconds())
            let word = shown.flatMap { $0.isOver ? $0.status.rawValue : nil }
            throw Problem(.notRunning(status: word ?? status), during: action)
        } catch {
            throw Problem(error, during: action)
        }
    }

    /// Waits for `condition`, for ``settleLimit`` at most.
    private func settle(_ condition: () -> Bool) async {
        let deadline = ContinuousClock.now + Self.settleLimit
        while !condition(), ContinuousClock.now < deadline {
            do { try await Task.sleep(for: .milliseconds(5)) } catch { return }  // cancelled: no more waiting
        }
    }
}

/// A row that somebody wants appended, its topic checked by form only.
struct EmittedEvent: Sendable, Equatable {
    /// UTF-8 bytes of a topic.
    static let maximumTopicBytes = 200

    let topic: String
    /// JSON text; `nil`: none.
    let payload: String?
    /// Append it whatever it does to the run.
    let isForced: Bool

    /// - Throws: ``Problem`` 400 `invalid_topic`, 413 for a payload that is too large.
    init(_ body: RequestObject, force: Bool) throws(Problem) {
        guard let topic = try? body.string("topic", limit: Self.maximumTopicBytes),  // too long is no topic
            topic.unicodeScalars.allSatisfy({ scalar in
                scalar == "." || scalar == "_" || scalar.properties.isAlphabetic
                    || scalar.properties.numericType != nil
            })
        else { throw .invalidTopic }
        self.topic = topic
        payload = try body.json("payload", limit: SessionCommands.maximumPayloadBytes)
        isForced = try body.flag("force") ?? false || force
    }
}
