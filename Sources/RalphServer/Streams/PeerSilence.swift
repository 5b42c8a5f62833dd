/// How long the other end of a connection has confirmed nothing though bytes waited for that.
struct PeerSilence {
    /// Seconds between two looks at a connection. One look is a system call, three if something waits.
    static let interval: Int64 = 4

    /// What was confirmed when the silence began, in bytes since the connection began; -1: there is none.
    private var confirmed: Int64 = -1
    private var start: Int64 = 0

    /// Takes what a look has shown.
    ///
    /// - Parameters:
    ///   - confirmed: how many bytes were confirmed, ascending; -1 if none waits.
    ///   - second: of any clock that the looks share.
    mutating func note(_ confirmed: Int64, second: Int64) {
        guard confirmed != self.confirmed else { return }
        self.confirmed = confirmed
        start = second
    }

    /// Seconds for which what waits has waited at least; 0 if nothing does.
    func length(at second: Int64) -> Int64 { confirmed < 0 ? 0 : second - start }
}
