package import RalphWire

/// A question to a person as it was saved; ``value`` is opaque here.
package struct StoredQuestion: Sendable, Equatable {
    package let id: String
    package let session: SessionID
    package let isOpen: Bool
    package let value: [UInt8]

    package init(id: String, session: SessionID, isOpen: Bool, value: [UInt8]) {
        self.id = id
        self.session = session
        self.isOpen = isOpen
        self.value = value
    }
}
