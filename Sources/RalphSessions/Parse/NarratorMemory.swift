/// What ``SessionNarrator`` must remember from line to line and nobody else needs.
struct NarratorMemory: Sendable, Codable, Equatable {
    /// The file and generation that the last run's start row stands in; a second start row there is a
    /// `--continue` (contract 4.5).
    var runFile = ""
    var runGeneration = 0
    /// Whether the last run's start row was read; `nil`: stored before this was noted.
    var hasStartRow: Bool?
    /// The output (file and generation) that told of the last run's start; `nil`: none did yet.
    var output: String?
    /// The newest iteration of the run that an `iteration.started`, `.completed`, a usage event told of.
    var announcedStart = 0
    var announcedEnd = 0
    var announcedUsage = 0
    /// The last run was continued, and no row has told yet whether its iterations are counted on; `nil`: stored before
    /// this was noted.
    var mayCountAnew: Bool?
    /// The newest iteration that ``SessionState/cost`` had when the session was first seen; `nil`: none.
    var costThrough: Int?
    /// The iteration that starts unless the next row says that the run ended; 0: none. See
    /// ``SessionNarrator/dueStart``.
    var heldStart = 0
    var heldStartAt: Int64 = 0
    /// The run did not wait before that iteration, as a person had said something; `nil`: it waits as it is configured to.
    var skipsCooldown: Bool?
    /// The hat that the events since the last summary call for (contract 2.6), and the topic that did.
    var nextHat = ""
    var nextTrigger = ""
    var nextIsEntry = false
    /// See ``WorkspaceConfig/takers(of:)``; `nil`: without a configuration, or stored before this was noted.
    var nextQueue: String?
    /// The hats that events since the last summary call for, entry topics apart, and those at work; `nil`: stored before
    /// this was noted.
    var calledHats: [String]?
    var entryHats: [String]?
    var workingHats: [String]?
    /// What called for the iteration at work; `nil`: nothing did, or stored before this was noted.
    var workingCall: Call?
    /// Something waits since the newest iteration began, and an event of its own was accepted; `nil`: stored before this
    /// was noted.
    var hasEvent: Bool?
    var hasAccepted: Bool?
    /// A person's word, or a question to one, is among what was accepted since the newest iteration began; `nil`: none is.
    var hasHumanEvent: Bool?
    /// The wave that the newest iteration asked for; `nil`: it asked for none.
    var wave: SessionNarrator.Wave?
    /// What people wrote behind the summary and Ralph reads behind the next one, oldest first, at most 64; `nil`: nothing.
    var laterRows: [LaterRow]?
    /// What the run's output tells again of rows and would not if no row said it, oldest first, at most 64; `nil`: nothing.
    var echoes: [Echo]?
    /// The run was cancelled, which always ends it; `nil`: it was not, or stored before this was noted.
    var isCancelled: Bool?
    /// The last run's end row was read; `nil`: it was not, or stored before this was noted.
    var hasEndRow: Bool?
    /// The last event of the iteration asks for the run's end.
    var endIsAsked = false
    /// The last run was begun, or ended, by its output before its events file said so.
    var agentBeganRun = false
    var endIsFromAgent = false
    /// Files (name and generation) whose first malformed line was reported, at most 16.
    var reportedMalformed: [String] = []
    /// What the run's output told last: a time, `nil`: none; a hat; an iteration, 0: none.
    var agentTime: Int64?
    var agentHat = ""
    var agentIteration = 0
    /// The iteration whose hat rows have called for and output was to tell of; `nil`: none.
    var untoldHat: Int?
    /// The iteration whose end the output told last; what tells it again is dropped.
    var agentEnded = 0
    /// The end that is not told yet; `nil`: none, or stored before ends were held.
    var heldEnd: HeldEnd?
    /// The end of a stopped run that is not told yet; `nil`: none, or stored before these were held.
    var heldStop: HeldStop?
    /// What the turn at work has used, as a backend's own lines say; `nil`: nothing, or stored before this was noted.
    var turn: BackendTurn?
    /// The newest iteration of the last run whose turn's end a backend's own lines have told; `nil`: none, or stored before
    /// this was noted.
    var turnsThrough: Int?
    /// How the agent's newest text ended; `nil`: not within a sequence.
    var terminal: TerminalOutput.Place?
    /// See ``AgentPlace/stretch``.
    var agentStretch: Int64 = -1
    /// The output tells of a run before the last one: its lines change nothing.
    var agentIsPast = false
    /// When runs shortly before the last one began of which no output was read, oldest first, at most 16; `nil`: none did, or
    /// stored before this was noted.
    var untoldStarts: [Int64]?
    /// Outputs (file and generation) that go on with what a loop in a worktree of the workspace says, oldest first, at most
    /// 16; `nil`: none does, or stored before this was noted.
    var worktreeOutputs: [String]?
    /// Calls that the output told of and whose end it did not, oldest first, at most 32.
    var openTools: [OpenTool] = []

    /// Forgets what belongs to the run before; `completed` iterations were told already.
    ///
    /// - Parameter isContinued: whether the new run reads what came behind the end row of the one before (contract 4.5).
    mutating func beginRun(after completed: Int, isContinued: Bool) {
        let through = costThrough
        beginCount(after: completed)
        mayCountAnew = completed > 0
        // A run that goes on has its cost still, and may go on within the lines that were read first.
        costThrough = isContinued ? through : nil
        heldStart = 0
        if !isContinued || hasEndRow != true { forgetCalls() }
        echoes = nil
        hasEndRow = nil
        workingHats = nil
        workingCall = nil
        untoldHat = nil
        endIsAsked = false
        isCancelled = nil
        agentBeganRun = false
        endIsFromAgent = false
        hasStartRow = false
        output = nil
        (turn, turnsThrough) = (nil, nil)
    }

    /// Notes that an event calls for a hat; `false`: another one did before, or as many are called for as one configuration
    /// has, of which the run has had several.
    mutating func note(_ hat: String, isEntry: Bool) -> Bool {
        let known = (isEntry ? entryHats : calledHats) ?? []
        guard known.count < WorkspaceConfig.maximumHats, !known.contains(hat) else { return false }
        if isEntry { entryHats = known + [hat] } else { calledHats = known + [hat] }
        return true
    }

    /// An iteration begins with the hats that are called for.
    mutating func takeCalls() {
        workingHats = calledHats ?? entryHats ?? []
        workingCall = nextCall
        forgetCalls()
    }

    /// What calls for the next iteration's hat; `nil`: nothing does.
    var nextCall: Call? { nextHat.isEmpty ? nil : Call(hat: nextHat, topic: nextTrigger) }

    /// No event calls for a hat any more.
    mutating func forgetCalls() {
        nextHat = ""
        nextTrigger = ""
        nextIsEntry = false
        nextQueue = nil
        hasEvent = false
        hasAccepted = false
        laterRows = nil
        hasHumanEvent = nil
        wave = nil
        calledHats = nil
        entryHats = nil
    }

    /// The next iteration to tell of is the one behind `completed`.
    mutating func beginCount(after completed: Int) {
        costThrough = nil
        announcedStart = completed
        announcedEnd = completed
        announcedUsage = completed
    }

    /// A run begins at `time` behind the one that began at `before`, whose output may still be read. Of runs that began long
    /// before, output is told apart by its time alone.
    mutating func noteStart(at time: Int64, behind before: Int64?) {
        var starts = untoldStarts ?? []
        if output == nil, let before { starts = starts.suffix(15) + [before] }
        starts.removeAll { abs(time - $0) > SessionNarrator.sameRunMilliseconds }
        untoldStarts = starts.isEmpty ? nil : starts
    }

    /// Whether output that says it began at `told` is that of a run before the last one, which began at `start`: where runs
    /// follow each other at once, rows of the next one are read before the output of the one before.
    func isUntold(at told: Int64, start: Int64) -> Bool {
        untoldStarts?.contains { abs(told - $0) < abs(told - start) } ?? false
    }

    /// What was told of iterations behind `number` was wrong.
    mutating func takeBackClaims(behind number: Int) {
        announcedStart = min(announcedStart, number)
        announcedEnd = min(announcedEnd, number)
        announcedUsage = min(announcedUsage, number)
    }

    /// Notes what a row said.
    mutating func expect(_ echo: Echo) { echoes = (echoes ?? []).suffix(63) + [echo] }

    /// Whether a row of the iteration at work, or of one beside it, said what the output tells now: the same words, as
    /// Ralph may publish the topic itself meanwhile, and which of the two is read first is not certain.
    mutating func takeEcho(_ topic: String, _ payload: UInt64) -> Bool {
        guard var open = echoes else { return false }
        open.removeAll { $0.iteration < agentIteration - 1 }
        let index = open.firstIndex {
            $0.topic == topic && $0.payload == payload && $0.iteration <= agentIteration + 1
        }
        if let index { open.remove(at: index) }
        echoes = open.isEmpty ? nil : open
        return index != nil
    }

    /// The hat that events call for, and the topic that did.
    struct Call: Sendable, Codable, Equatable {
        var hat: String
        var topic: String

        /// The topic, if it is `hat` that was called for.
        func trigger(of hat: String) -> String? { hat == self.hat ? topic : nil }
    }

    /// A row that is read as one of the next iteration.
    struct LaterRow: Sendable, Codable, Equatable {
        var topic: String
        /// What its verdict put in the place of ``topic`` (contract 2.7); `nil`: nothing did.
        var published: String?
    }

    /// A topic that Ralph itself publishes as well, and that a row said.
    struct Echo: Sendable, Codable, Equatable {
        var topic: String
        /// A hash of its text.
        var payload: UInt64
        var iteration: Int
    }

    /// A tool call that did not end yet: its end names only the id (contract 4.8).
    struct OpenTool: Sendable, Codable, Equatable {
        var id: String
        var name: String
    }
}
