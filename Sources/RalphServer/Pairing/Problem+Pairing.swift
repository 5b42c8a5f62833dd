import RalphWire

extension Problem {
    /// One answer for a ticket that never was, was used, or has expired: nobody learns which.
    static let invalidTicket = Problem(
        status: 401, error: "invalid_ticket", code: .unauthorized,
        details: "This ticket does not count: it is mistyped, was used, or has expired.")

    static func tooManyTries(retryAfter seconds: Int) -> Problem {
        Problem(
            status: 429, error: "too_many_tries", code: .rateLimited,
            details: "Too many tickets that do not count came from there.", retryAfter: seconds)
    }

    static func tooManyTickets(retryAfter seconds: Int) -> Problem {
        Problem(
            status: 429, error: "too_many_tickets", code: .rateLimited,
            details: "\(PairingTickets.maximumTickets) tickets are open; use one, or wait until one expires.",
            retryAfter: max(1, seconds))
    }

    /// For what is shown on this machine's own screen only.
    static let localOnly = Problem(
        status: 403, error: "local_only", code: .forbidden,
        details: "This is shown to requests from this machine only.")

    /// The server has no port yet, its name or its address with a zone cannot be said in a link, or the code cannot be drawn.
    static let notPairable = Problem(
        status: 503, error: "not_ready", code: .unavailable,
        details:
            "The server cannot say where it is: it does not listen yet, or is bound to what no link can hold.",
        retryAfter: 1)
}
