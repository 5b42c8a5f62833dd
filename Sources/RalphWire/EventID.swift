/// The `id` of a numbered event, `evt_<session>-<seq>` (http-contract 4.3).
public struct EventID: Sendable, Hashable, CustomStringConvertible {
    public let session: SessionID
    /// 0 or more; events are numbered from 1 on.
    public let seq: Int64

    public init(session: SessionID, seq: Int64) {
        self.session = session
        self.seq = seq
    }

    /// `nil` if `text` is none.
    public init?(_ text: String) {
        guard text.hasPrefix("evt_"), let dash = text.lastIndex(of: "-"),
            let session = SessionID(String(text[..<dash].dropFirst(4))),
            let seq = Int64(text[text.index(after: dash)...]), seq >= 0
        else { return nil }
        self.init(session: session, seq: seq)
    }

    public var description: String { "evt_\(session)-\(seq)" }
}
