/// Times for people.
enum Milliseconds {
    /// `0.4 ms`, `12 ms`, `3.1 s`.
    static func text(_ time: Duration) -> String {
        let microseconds =
            time.components.seconds * 1_000_000 + time.components.attoseconds / 1_000_000_000_000
        if microseconds < 10_000 { return "\(microseconds / 1000).\(microseconds / 100 % 10) ms" }
        if microseconds < 1_000_000 { return "\(microseconds / 1000) ms" }
        return "\(microseconds / 1_000_000).\(microseconds / 100_000 % 10) s"
    }
}
