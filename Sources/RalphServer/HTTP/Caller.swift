package import RalphWire

/// Who asks, as far as a request tells; recorded with every command.
package struct Caller: Sendable, Equatable {
    /// What a request was let in with.
    package enum Access: Sendable, Equatable {
        /// The server asks this machine for no key, or nobody.
        case open
        /// The server's key.
        case key
        /// The key that tools of the same user on this machine find in the state directory.
        case local
        /// A paired device's token.
        case device(DeviceID)

        /// One word, as records have it.
        package var text: String {
            switch self {
            case .open: "open"
            case .key: "key"
            case .local: "local"
            case .device(let id): "device \(id)"
            }
        }
    }

    /// The address of the client, without its port; `unknown` for a socket that has none.
    package var peer: String
    package var access: Access
    /// What it may do; `nil`: only what anybody may.
    package var scope: Scope?
    /// Whether the request was made on this machine and came straight to us.
    package var isLocal: Bool

    package init(peer: String, access: Access, scope: Scope? = .start, isLocal: Bool = false) {
        self.peer = peer
        self.access = access
        self.scope = scope
        self.isLocal = isLocal
    }

    /// The device that asks, if one does.
    package var device: DeviceID? {
        if case .device(let id) = access { id } else { nil }
    }

    /// As the command record says it, such as `127.0.0.1 (open)`.
    package var text: String { "\(peer) (\(access.text))" }
}
