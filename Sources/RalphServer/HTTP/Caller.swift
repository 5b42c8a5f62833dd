/// Who asks, as far as a request tells; recorded with every command.
package struct Caller: Sendable, Equatable {
    /// What a request was let in with.
    package enum Access: String, Sendable {
        /// The server asks for no key.
        case open
        /// The server's key.
        case key
    }

    /// The address of the connection's other end, without its port; `unknown` for a socket that has none.
    package var peer: String
    package var access: Access

    package init(peer: String, access: Access) {
        self.peer = peer
        self.access = access
    }

    /// As the command record says it, such as `127.0.0.1 (open)`.
    package var text: String { "\(peer) (\(access.rawValue))" }
}
