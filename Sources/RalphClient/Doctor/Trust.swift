/// Which certificates are accepted.
enum Trust: Sendable, Equatable {
    /// Those that the system's authorities vouch for, and that bear the server's name.
    case system
    /// The one with this SHA-256, in hexadecimal.
    case pinned(String)
    /// Any: for looking, never for sending a key.
    case anything
}
