import RalphWire

/// The `id` of a numbered event: `evt_<session>-<seq>` (http-contract 4.3).
struct EventID: Sendable, Equatable {
    let session: SessionID
    let seq: Int64

    /// `nil` if `text` is none.
    init?(_ text: String) {
        guard text.hasPrefix("evt_"), let dash = text.lastIndex(of: "-"),
            let session = SessionID(String(text[..<dash].dropFirst(4))),
            let seq = Int64(text[text.index(after: dash)...]), seq >= 0
        else { return nil }
        self.session = session
        self.seq = seq
    }
}
