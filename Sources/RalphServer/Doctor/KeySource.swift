/// Where the server's key comes from.
enum KeySource: Sendable, Equatable {
    case none
    /// `RALPH_API_KEY`.
    case variable
    /// `--api-key-file`.
    case file(String)
}
