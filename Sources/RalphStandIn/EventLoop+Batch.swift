/// What written events do (contract 2.5).
extension EventLoop {
    /// Routes a batch.
    ///
    /// - Returns: the first question in it.
    func process(_ batch: EventReader.Batch) throws(StandInError) -> IncomingEvent? {
        state.consecutiveMalformed += batch.malformed.count
        for content in batch.malformed {
            send(IncomingEvent(topic: "event.malformed", payload: "Content: \(content)"))
        }
        // Ralph's own summary is valid, and is in the batch of each iteration.
        if !batch.events.isEmpty { state.consecutiveMalformed = 0 }
        let events = batch.events.filter { $0.topic != "iteration.summary" && isInScope($0) }
        var question: IncomingEvent?
        for (index, event) in events.enumerated() {
            if event.topic == configuration.cancellationPromise, !event.topic.isEmpty {
                state.isCancellationRequested = true
            } else if event.topic == context.completionTopic {
                requestCompletion(isLast: index == events.count - 1)
            } else {
                publish(Backpressure.verdict(on: event))
                if event.topic == "human.interact", question == nil { question = event }
            }
        }
        return question
    }

    /// What has come since the last reading. Where the agent speaks of `ralph emit` and nothing came, it is looked for again 20
    /// times, 250 ms apart (contract 2.4).
    func readEvents() -> EventReader.Batch {
        var batch = reader.read()
        var polls = 0
        while speaksOfEmit, polls < 20, !batch.events.contains(where: { $0.topic != "iteration.summary" }) {
            Moment.pause(milliseconds: 250)
            polls += 1
            let more = reader.read()
            batch.events += more.events
            batch.malformed += more.malformed
        }
        return batch
    }

    /// Whether an event keeps the hat's default from being said.
    func isAccepted(_ event: IncomingEvent) -> Bool {
        event.topic != "iteration.summary" && mayPublish(event.topic)
    }

    /// Says for the hat at work what it says where the agent says nothing (contract 2.5).
    func publishDefault() {
        guard let hat = activeHats.first(where: { $0.defaultPublishes != nil }),
            let topic = hat.defaultPublishes
        else { return }
        var event = IncomingEvent(topic: topic, payload: "", source: hat.id)
        if topic == context.completionTopic {
            context.say("WARN \(topic) is not taken from the silence of \(hat.id)")
            event = IncomingEvent(
                topic: "task.resume", payload: "The hat \(hat.id) said nothing; say \(topic) to complete.",
                target: hat.id)
        }
        record(event)
        send(event)
    }

    private func requestCompletion(isLast: Bool) {
        if isLast {
            state.isCompletionRequested = true
        } else {
            context.say("WARN Completion event ignored because it was not the last event")
        }
    }

    /// Puts an event on the bus: before the next iteration, and into the stream.
    func send(_ event: IncomingEvent) {
        pending.append(event)
        published.append(event)
    }

    /// Puts what somebody has said on the bus, and counts repeats.
    func publish(_ event: IncomingEvent) {
        switch event.topic {
        case "human.guidance": state.openGuidance += 1
        case "human.guidance.ack": state.openGuidance = 0
        default: break
        }
        record(event)
        if event.topic == "human.response" || event.topic == "user.prompt" { noticeRestart(event) }
        send(event)
    }

    /// Keeps what was said, and how often in a row.
    private func record(_ event: IncomingEvent) {
        state.seenTopics.insert(event.topic)
        guard !event.isOfWave else {
            state.repeated = ("", 0)
            return
        }
        let key = event.topic + "\n" + (event.payload ?? "")
        let count = state.repeated.event == key ? state.repeated.count + 1 : 1
        state.repeated = (key, event.topic == "task.complete" ? 0 : count)
    }

    /// An answer that asks ralph to restart makes it write the file that does (contract 4.3).
    private func noticeRestart(_ event: IncomingEvent) {
        let text = (event.payload ?? "").lowercased()
        guard text.contains("restart ralph") || text.contains("restart yourself") else { return }
        // Nothing follows from a file that could not be written.
        try? TextFile.write(event.payload ?? "", to: workspace.restartRequested)
    }

    /// Whether the hats of this iteration may say this; else `<hat>.scope_violation` is said instead.
    private func isInScope(_ event: IncomingEvent) -> Bool {
        guard !mayPublish(event.topic), let first = activeHats.first else { return true }
        let text = "Attempted to publish '\(event.topic)': \(event.payload ?? "")"
        send(IncomingEvent(topic: "\(first.id).scope_violation", payload: text))
        return false
    }

    private func mayPublish(_ topic: String) -> Bool {
        guard configuration.enforcesHatScope, !activeHats.isEmpty else { return true }
        return activeHats.contains { hat in hat.publishes.contains { TopicPattern($0).matches(topic) } }
    }

    /// Whether a claim of completion stands; one that does not is answered on the bus.
    func isCompletionAccepted() throws(StandInError) -> Bool {
        guard state.isCompletionRequested else { return false }
        state.isCompletionRequested = false
        let missing = configuration.requiredEvents.filter { !state.seenTopics.contains($0) }
        var objection: String?
        if !missing.isEmpty { objection = "missing required events: \(missing.joined(separator: ", "))" }
        if state.openGuidance > 0 { objection = "human.guidance is unacknowledged" }
        // The tasks are asked only when nothing else speaks against it: their lock file shows it.
        if objection == nil, configuration.hasMemories, try hasOpenTasks() {
            objection = "runtime tasks remain open"
        }
        if configuration.isPersistent { objection = objection ?? "persistent mode" }
        guard let objection else { return true }
        context.say("WARN Rejecting \(context.completionTopic): \(objection)")
        send(IncomingEvent(topic: "task.resume", payload: "Completion rejected: \(objection)"))
        return false
    }

    private func hasOpenTasks() throws(StandInError) -> Bool {
        let lock = try LockedFile(waitingFor: workspace.tasks + ".lock")
        defer { lock.hold() }
        return (TextFile.read(workspace.tasks) ?? "").split(separator: "\n").contains { line in
            guard let task = JSONParser.parse(String(line)) else { return false }
            let isOurs = task["loop_id"]?.text == nil || task["loop_id"]?.text == context.loopID
            return isOurs && ["open", "in_progress"].contains(task["status"]?.text ?? "")
        }
    }
}
