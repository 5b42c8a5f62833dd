/// What is known of a request by its `Idempotency-Key`.
package enum IdempotentEntry: Sendable, Equatable {
    /// Never seen, forgotten or abandoned: it is the caller's now, who finishes or abandons it.
    case new
    /// The same request is being carried out.
    case inProgress
    /// The server ended while it was carried out: nobody knows what came of it.
    case interrupted
    /// It was carried out; `body` is `nil` if it was too large to be kept.
    case answered(status: Int, location: String?, body: [UInt8]?)
    /// The key was used for another request.
    case mismatch
}
