import RalphWire

/// What those are told who ask for too much.
extension Problem {
    /// - Parameter seconds: until asking again makes sense.
    static func rateLimited(seconds: Int) -> Problem {
        Problem(
            status: 429, error: "rate_limited", code: .rateLimited,
            details: "Too many requests come from there.", retryAfter: max(1, seconds))
    }

    /// For a key that was not looked at.
    static let tooManyGuesses = Problem(
        status: 429, error: "rate_limited", code: .rateLimited,
        details: "Too many wrong keys come from there; this one was not looked at.", retryAfter: 1)

    static func tooManyStreams(limit: Int) -> Problem {
        Problem(
            status: 429, error: "too_many_streams", code: .rateLimited,
            details: "\(limit) streams are open from there, which is the limit.", retryAfter: 5)
    }

    static let untakenAnswers = Problem(
        status: 429, error: "rate_limited", code: .rateLimited,
        details: "More than 32 MiB of answers wait to be taken from there.", retryAfter: 5)

    static let tooManyBodies = Problem(
        status: 429, error: "rate_limited", code: .rateLimited,
        details: "More than 32 MiB of requests from there are in hand.", retryAfter: 1)

    static func targetTooLong(limit: Int) -> Problem {
        Problem(
            status: 414, error: "uri_too_long", code: .tooLarge,
            details: "The target of a request may have \(limit) bytes.")
    }
}
