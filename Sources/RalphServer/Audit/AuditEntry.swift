import RalphWire

/// What happened, as one line of the audit log says it. It has no room for what a request brought.
struct AuditEntry: Sendable, Equatable {
    /// What became of it.
    enum Outcome: String, Sendable {
        /// It was done, or is going on.
        case ok
        /// The caller may not, or not so often: 401, 403, 421, 429.
        case refused
        /// Another answer of 400 … 499.
        case rejected
        /// An answer of 500 or more, or something of ours that did not work.
        case failed
        /// The server ended before it was known.
        case unknown

        init(status: UInt) {
            self =
                switch status {
                case 401, 403, 421, 429: .refused
                case 400..<500: .rejected
                case 500...: .failed
                default: .ok
                }
        }
    }

    /// UTF-8 bytes of a target; the rest is not written.
    static let maximumTargetBytes = 200
    /// Stands for a target that somebody has put a token or another secret into.
    static let withheld = "(withheld)"

    /// Milliseconds since 1970.
    var at: Int64
    /// `open`, `key`, `local`, `device`, `nobody` or `server`.
    var who = "server"
    var device: DeviceID?
    /// The address that it came from; `nil`: it came from nowhere.
    var peer: String?
    /// A method and a route's pattern, or a word.
    var action: String
    /// What it was about: an id.
    private(set) var target: String?
    var outcome = Outcome.ok
    /// The status of the answer; `nil`: there was none.
    var status: UInt?
    /// So often; `nil`: once.
    var count: Int?

    /// Something that is no request, or the outcome of one that the request does not tell.
    ///
    /// - Parameter caller: `nil`: nobody, the server itself.
    init(_ action: String, at now: Int64, by caller: Caller? = nil, target: String? = nil) {
        at = now
        self.action = action
        if let caller {
            who = caller.scope == nil ? "nobody" : caller.access.word
            device = caller.device
            peer = caller.peer
        }
        self.target = target.map(Self.clipped)
    }

    /// Appends the entry as a line of JSON, with its line end.
    func append(seq: Int64, to bytes: inout [UInt8]) {
        var line = JSONObjectText()
        line.add("seq", seq)
        line.add("ts", Timestamp.text(at))
        line.add("who", who)
        if let device { line.add("device", device.text) }
        if let peer { line.add("peer", TerminalText.safe(peer)) }
        line.add("action", action)
        if let target { line.add("target", target) }
        line.add("outcome", outcome.rawValue)
        if let status { line.add("status", Int(clamping: status)) }
        if let count { line.add("count", count) }
        bytes += line.finished
        bytes.append(0x0A)
    }

    /// One line of bounded length; a token that somebody took for an id is left out.
    private static func clipped(_ text: String) -> String {
        guard !text.contains(DeviceBook.tokenPrefix) else { return withheld }
        let line = TerminalText.safe(text)
        guard line.utf8.count > maximumTargetBytes else { return line }
        var clipped = line.prefix(maximumTargetBytes)
        while clipped.utf8.count > maximumTargetBytes { clipped.removeLast() }
        return String(clipped)
    }
}

extension Caller.Access {
    /// One word, without which device.
    fileprivate var word: String {
        if case .device = self { "device" } else { text }
    }
}
