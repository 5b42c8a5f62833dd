import NIOCore
import RalphFeed
import RalphWire

/// Writes a stream's events in the form its client asked for (http-contract 4.2).
struct StreamRenderer: Sendable {
    let options: StreamOptions

    /// The session whose shared frames can be sent as they are; `nil`: they cannot.
    var plainSession: SessionID? {
        guard case .session(let id) = options.source, options.form == .serverSentEvents, options.namesEvents,
            options.topics.isEmpty, !options.hasStructuredPayloads
        else { return nil }
        return id
    }

    /// The first bytes of a stream: a comment long enough that no client holds it back, and the retry time.
    func appendOpening(to buffer: inout ByteBuffer) {
        guard options.form == .serverSentEvents else { return }
        buffer.writeImmutableBuffer(Self.opening)
    }

    /// The events of `slice`, without those that the client's topics leave out.
    ///
    /// - Returns: whether the last one is not left out.
    @discardableResult
    func append(_ slice: BlockSlice, to buffer: inout ByteBuffer) -> Bool {
        let block = slice.block
        if plainSession != nil {
            buffer.writeBytes(block.bytes(from: slice.range.lowerBound, to: slice.range.upperBound))
            return true
        }
        var hasLast = false
        for index in slice.range {
            let entry = block.entries[index]
            hasLast = options.topics.cover(escaped: block.bytes[entry.topic])
            guard hasLast else { continue }
            if options.form == .newlineDelimited {
                appendJSON(of: block, at: index, to: &buffer)
                buffer.writeInteger(UInt8(ascii: "\n"))
                continue
            }
            buffer.writeStaticString("id: ")
            let cursor = options.source == .all ? entry.globalID : block.firstSeq + Int64(index)
            buffer.writeString(String(cursor))
            buffer.writeStaticString(options.namesEvents ? "\nevent: workflow\ndata: " : "\ndata: ")
            appendJSON(of: block, at: index, to: &buffer)
            buffer.writeStaticString("\n\n")
        }
        return hasLast
    }

    private func appendJSON(of block: EventBlock, at index: Int, to buffer: inout ByteBuffer) {
        let json = block.json(at: index)
        if options.hasStructuredPayloads {
            let topicEnd = block.entries[index].topic.upperBound
            buffer.writeBytes(StructuredPayload.rewrite(json, topicEnd: topicEnd))
        } else {
            buffer.writeBytes(json)
        }
    }

    /// What could not be sent, and how far (design 4: a gap is a pointer).
    func append(_ gap: StreamGap, to buffer: inout ByteBuffer) {
        guard options.form == .serverSentEvents else {
            buffer.writeString(#"{"gap":\#(gap.json)}"# + "\n")
            return
        }
        appendNotice("gap", gap.json, to: &buffer)
    }

    /// The cursor, in front of a notice: without data it is no event, and all the same the client comes back with it (WHATWG
    /// HTML, 9.2.6). Lines of JSON have no place for it.
    func appendID(_ cursor: Int64, to buffer: inout ByteBuffer) {
        guard options.form == .serverSentEvents else { return }
        buffer.writeString("id: \(cursor)\n")
    }

    /// The replay is over; `head` is the newest cursor there was. Among lines of JSON only for who asks.
    func appendSynced(head: Int64, epoch: String, to buffer: inout ByteBuffer) {
        let json = #"{"head":\#(head),"epoch":"\#(epoch)"}"#
        guard options.form == .serverSentEvents else {
            if options.sendsControlEvents { buffer.writeString(#"{"synced":\#(json)}"# + "\n") }
            return
        }
        appendNotice("synced", json, to: &buffer)
    }

    /// The time to wait before coming back, sent when the server goes down.
    func appendRetry(milliseconds: Int, to buffer: inout ByteBuffer) {
        guard options.form == .serverSentEvents else { return }
        buffer.writeString("retry: \(milliseconds)\n\n")
    }

    /// What keeps proxies and phones from closing a quiet stream.
    var keepAlive: ByteBuffer {
        options.form == .serverSentEvents ? Self.keepAliveComment : Self.keepAliveLine
    }

    private func appendNotice(_ name: String, _ json: String, to buffer: inout ByteBuffer) {
        buffer.writeString(
            options.sendsControlEvents ? "event: \(name)\ndata: \(json)\n\n" : ": \(name) \(json)\n\n")
    }

    private static let opening = ByteBuffer(
        string: ": open" + String(repeating: " ", count: 1024) + "\nretry: 2000\n\n")
    private static let keepAliveComment = ByteBuffer(string: ": keep-alive\n\n")
    private static let keepAliveLine = ByteBuffer(string: "\n")
}
