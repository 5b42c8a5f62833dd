import RalphWire

/// Events of our own: they have no place in a file.
extension SessionNarrator {
    /// Appends a `server` event with the current iteration and its hat.
    ///
    /// - Parameters:
    ///   - type: also the topic, unless `topic` is given.
    ///   - time: milliseconds since 1970.
    ///   - hat: `nil`: that of `iteration`.
    mutating func emit(
        _ type: StaticString, topic: StaticString? = nil, at time: Int64, iteration: Int? = nil,
        hat: String? = nil, status: StaticString? = nil, triggered: String? = nil,
        payload: JSONObjectText? = nil, into batch: inout EventBatch
    ) {
        var fields = EventFields()
        if let status { fields.status = .literal(status) }
        if let triggered, !triggered.isEmpty { fields.triggered = .text(triggered) }
        if let payload { fields.payload = .json(payload.finished) }
        emit(
            &fields, type: .literal(type), topic: topic.map(EventFields.Word.literal), at: time,
            iteration: iteration, hat: hat, into: &batch)
    }

    /// Appends the `server` event whose other fields are set.
    mutating func emit(
        _ fields: inout EventFields, type: EventFields.Word, topic: EventFields.Word? = nil, at time: Int64,
        iteration: Int? = nil, hat: String? = nil, into batch: inout EventBatch
    ) {
        fields.type = type
        fields.topic = topic ?? type
        fields.timestamp = time
        let iteration = iteration ?? state.iteration
        if iteration > 0 { fields.iteration = iteration }
        let hat = hat ?? self.hat(ofIteration: iteration)
        if !hat.isEmpty { fields.hat = .text(hat) }
        encoder.members.removeAll(keepingCapacity: true)
        encoder.append(
            fields, base: StaticString("").utf8Start, origin: .server, offset: -1, context: -1, isLive: true,
            to: &batch)
    }

    /// Says that the hat changed, without changing it.
    mutating func emitHatChange(
        from old: String, to new: String, because reason: String?, iteration: Int, at time: Int64,
        into batch: inout EventBatch
    ) {
        var payload = JSONObjectText()
        payload.add("from", old.isEmpty ? nil : old)
        payload.add("to", new)
        payload.add("reason", reason)
        emit(
            "hat.transition", topic: "hat.changed", at: time, iteration: iteration, hat: new,
            triggered: reason, payload: payload, into: &batch)
    }
}
