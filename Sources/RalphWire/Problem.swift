/// What went wrong with a request, as the client is told (http-contract 1.2).
public struct Problem: Error, Sendable, Equatable {
    /// The HTTP status, 400 … 599.
    public var status: Int
    /// The machine string of the contract; its prefix up to `:` is what the real client looks at.
    public var error: String
    /// The stable code of the public documents.
    public var code: Code
    /// One line for a person, without secrets.
    public var details: String?
    /// What to send as `Allow`, with 405 only.
    public var allow: String?
    /// Seconds after which trying again makes sense, sent as `Retry-After`.
    public var retryAfter: Int?
    /// Further members of the body, such as `session_id`.
    public var members: [String: String] = [:]

    /// The words that `code` can have.
    public enum Code: String, Sendable, CaseIterable {
        case badRequest = "BAD_REQUEST"
        case unauthorized = "UNAUTHORIZED"
        case forbidden = "FORBIDDEN"
        case notFound = "NOT_FOUND"
        case methodNotAllowed = "METHOD_NOT_ALLOWED"
        case timeout = "TIMEOUT"
        case conflict = "CONFLICT"
        case gone = "GONE"
        case tooLarge = "TOO_LARGE"
        case misdirected = "MISDIRECTED"
        case rateLimited = "RATE_LIMITED"
        case internalError = "INTERNAL_ERROR"
        case unavailable = "UNAVAILABLE"
    }

    public init(
        status: Int, error: String, code: Code, details: String? = nil, allow: String? = nil,
        retryAfter: Int? = nil, members: [String: String] = [:]
    ) {
        self.status = status
        self.error = error
        self.code = code
        self.details = details
        self.allow = allow
        self.retryAfter = retryAfter
        self.members = members
    }

    /// The response body: one JSON object with `error`, `code` and, if there are any, `details` and the
    /// further members in the order of their names.
    public var body: [UInt8] {
        var body = JSONObjectText()
        body.add("error", error)
        body.add("code", code.rawValue)
        if let details { body.add("details", details) }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            body.add(name, value)
        }
        return body.finished
    }
}
