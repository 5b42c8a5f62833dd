package import RalphWire

/// Reading stretches of files again that were events once.
extension SessionNarrator {
    /// Reads a line of the archive: its own events as they were, never `server` events.
    ///
    /// The same bytes and the same context give the same members, but for the milliseconds that
    /// ``NameClock`` added when the events were new, and times taken from a file. Lines of a piece of text
    /// (see ``AgentPlace``) are collected behind the batch's last item until the last of them has come.
    ///
    /// - Parameters:
    ///   - contextIndex: where `context` stands in ``EventBatch/contexts``.
    ///   - offset: where `line` begins in its file; it may begin with any object of the line as it stands
    ///     there.
    ///   - isWhole: gives what the soft cap of http-contract 4.3 cuts off, too.
    package static func readArchivedLine(
        _ line: UnsafeRawBufferPointer, context: EventBatch.Context, contextIndex: Int32, offset: Int64,
        fileTime: Int64, isWhole: Bool = false, into batch: inout EventBatch
    ) {
        var encoder = EventEncoder(limit: isWhole ? .max : EventEncoder.softCap)
        let agentPlace =
            context.isAgentOutput ? AgentPlace(context, fileTime: fileTime) : nil
        var scan = LineScan(line)
        while scan.next(&encoder.members) {
            let place = offset + Int64(scan.objectStart)
            if let through = agentPlace?.through, let agentPlace {
                collectText(&encoder, scan.base, agentPlace, place, through, contextIndex, into: &batch)
                continue
            }
            if let agentPlace, agentPlace.readsParts, AgentLine(encoder.members, scan.base).kind == .message {
                appendMessage(
                    &encoder, scan.base, agentPlace, place, contextIndex, isRepaired: scan.isRepaired,
                    into: &batch)
                continue
            }
            guard
                case (var fields, let origin)? = archivedFields(
                    &encoder, scan.base, context, agentPlace, fileTime: fileTime)
            else { continue }
            fields.isRepaired = scan.isRepaired
            encoder.append(
                fields, base: scan.base, origin: origin, offset: place, context: contextIndex, isLive: false,
                to: &batch)
        }
    }

    /// Whether the soft cap took something from the event that `json` is the object of.
    package static func isCut(_ json: ArraySlice<UInt8>) -> Bool {
        let mark = #","truncated":true}"#
        return json.suffix(mark.utf8.count).elementsEqual(mark.utf8)
    }

    private static func archivedFields(
        _ encoder: inout EventEncoder, _ base: UnsafePointer<UInt8>, _ context: EventBatch.Context,
        _ place: AgentPlace?, fileTime: Int64
    ) -> (EventFields, EventOrigin)? {
        guard let place else {
            let line = EngineLine(
                &encoder.members, base, inheritedIteration: context.iteration, inheritedHat: context.hat,
                fileTime: fileTime)
            return (line.fields, line.origin)
        }
        var line = AgentLine(encoder.members, base)
        guard line.kind != .dropped, line.kind != .textDelta else { return nil }
        if !place.readsParts, [.message, .turnEnd].contains(line.kind) { line = AgentLine(kind: .other) }
        return (line.fields(&encoder.members, base, place), .agent)
    }

    private static func appendMessage(
        _ encoder: inout EventEncoder, _ base: UnsafePointer<UInt8>, _ place: AgentPlace, _ offset: Int64,
        _ contextIndex: Int32, isRepaired: Bool, into batch: inout EventBatch
    ) {
        BackendMessage(encoder.members, base).forEachEvent(base, place) { fields, members in
            var fields = fields
            fields.isRepaired = isRepaired
            encoder.members = members
            encoder.append(
                fields, base: base, origin: .agent, offset: offset, context: contextIndex, isLive: false,
                to: &batch)
        }
    }

    /// Puts the raw text of a delta behind the last item, after the eight bytes of the first one's offset;
    /// the last delta makes an item of it.
    private static func collectText(
        _ encoder: inout EventEncoder, _ base: UnsafePointer<UInt8>, _ place: AgentPlace, _ offset: Int64,
        _ through: Int64, _ contextIndex: Int32, into batch: inout EventBatch
    ) {
        guard offset <= through, AgentLine(encoder.members, base).kind == .textDelta else { return }
        let start = batch.items.last?.members.upperBound ?? 0
        if batch.bytes.count == start {
            withUnsafeBytes(of: offset) { batch.bytes.append(contentsOf: $0) }
        }
        let delta = encoder.members.value("delta", base)
        if delta.isString { delta.appendUnescaped(base, to: &batch.bytes) }
        guard offset == through else { return }
        let first = batch.bytes[start...].withUnsafeBytes { $0.loadUnaligned(as: Int64.self) }
        let text = Array(batch.bytes[(start + 8)...])
        batch.bytes.removeSubrange(start...)
        var output = place.start
        guard
            let fields = AgentText.fields(
                text, behind: &output, iteration: place.iteration, hat: place.hat, time: place.time)
        else { return }
        encoder.members.removeAll(keepingCapacity: true)
        encoder.append(
            fields, base: base, origin: .agent, offset: first, context: contextIndex, isLive: false,
            to: &batch)
    }
}
