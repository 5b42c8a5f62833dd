import RalphWire

/// Lines at the start whose words depend on the settings.
enum StartLines {
    /// How a stream of the session `id` is watched with curl, as it can be typed on this machine.
    ///
    /// - Parameter needsKey: its place is named, and the key itself never told.
    static func watch(_ id: SessionID, host: String, port: Int, isSecure: Bool, needsKey: Bool) -> String {
        // What means every address is none that each system can connect to.
        let here = ["0.0.0.0": "127.0.0.1", "::": "::1"][host] ?? host
        let key = needsKey ? #" -H "X-Api-Key: YOUR_KEY""# : ""
        let base = "\(isSecure ? "https" : "http")://\(PairingAddress.text(host: here, port: port))"
        return "Watch it live:  curl -N\(isSecure ? "k" : "")\(key) \(base)/api/sessions/\(id)/events"
    }

    /// What is told of a key that was made and that nobody has seen yet.
    ///
    /// - Parameters:
    ///   - file: where it is stored.
    ///   - isShown: `false`: the lines go to a journal, which keeps what it is told.
    static func key(_ minted: String, file: String, isShown: Bool) -> String {
        isShown
            ? "API key (stored in the state directory, shown this once): \(minted)"
            : "API key: stored in \(file), shown with --show-key"
    }
}
