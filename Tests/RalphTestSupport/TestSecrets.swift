/// What tests use as keys, tokens, prompts, texts and payloads and no log may ever hold. `scripts/test` looks for
/// it in all that the servers of the whole suite logged.
public enum TestSecrets {
    /// Every word that begins so is a marker; tests may write it into any prompt, steering text or payload.
    public static let stem = "quagga"
    /// Of a server that asks for one.
    public static let key = "quagga-key-0123456789abcdef"
    /// One that no server knows.
    public static let wrongKey = "quagga-wrong-0123456789abcdef"
    /// Of no device.
    public static let token = "rmd_" + String(repeating: "0badc0de", count: 8)
    /// What looks like a ticket.
    public static let ticket = "quaggaticket0123456789abcdef"
    public static let prompt = "quaggaprompt build it"
    public static let steering = "quaggasteering use the blue one"
    public static let payload = "quaggapayload 7"

    /// Extended regular expressions (grep -E) of what must not be logged, one a line: `scripts/test` reads them
    /// from here.
    public static let patterns = [
        #"quagga"#,
        #"rmd_[0-9a-fA-F]{8}"#,
        #"[?&](api_key|ticket)="#,
        #"ralphmobile://pair"#,
    ]
}
