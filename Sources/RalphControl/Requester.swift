/// Who asked for a command. A device may be revoked while its command waits for its turn.
package struct Requester: Sendable {
    /// As the record of the run has it.
    package let text: String
    /// The id of the paired device that asks; `nil`: none does.
    package let device: String?
    private let mayAsk: @Sendable () -> Bool

    /// Whether it still may ask for anything.
    package var hasRight: Bool { mayAsk() }

    /// - Parameter mayAsk: whether it still may; asked when the command's turn has come. It must not block.
    package init(_ text: String, device: String? = nil, mayAsk: @escaping @Sendable () -> Bool) {
        self.text = text
        self.device = device
        self.mayAsk = mayAsk
    }

    /// Somebody whom nobody can revoke, as the server itself.
    package static func unrevocable(_ text: String) -> Requester { Requester(text) { true } }

    /// - Throws: ``ControlError/revoked``.
    package func requireRight() throws(ControlError) {
        guard hasRight else { throw .revoked }
    }
}
