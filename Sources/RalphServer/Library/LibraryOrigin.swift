/// Where an item of the library comes from; the first that has a name wins.
enum LibraryOrigin: String, Encodable, Sendable {
    /// A workspace below a root, or a root itself.
    case workspace
    /// What the server's user keeps for all workspaces.
    case user
    /// What came with the server.
    case shipped
    /// A skill that Ralph brings with it (contract 7.4).
    case builtIn = "built-in"
}
