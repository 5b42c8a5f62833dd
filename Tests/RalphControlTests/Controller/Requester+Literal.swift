import RalphControl

/// Whoever asks in a test is named by a literal, and cannot be revoked.
extension Requester: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self = .unrevocable(text) }
}
