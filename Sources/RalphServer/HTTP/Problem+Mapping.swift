import Hummingbird
import RalphControl
import RalphFeed
import RalphSessions
import RalphWire

/// Every error that can leave a route, and how HTTP says it (http-contract 1.1, 1.2). The one place for it.
extension Problem {
    static let sessionNotFound = Problem(status: 404, error: "session_not_found", code: .notFound)

    static let scanning = Problem(
        status: 503, error: "scanning", code: .unavailable,
        details: "The sessions are not known yet: the first look at the roots is not over.", retryAfter: 5)

    static func ambiguousSession(_ prefix: String) -> Problem {
        Problem(
            status: 404, error: "session_not_found", code: .notFound,
            details: "More than one session id begins with \(prefix); send more digits.")
    }

    static func invalidRequest(_ why: String) -> Problem {
        Problem(status: 400, error: "invalid_request: \(why)", code: .badRequest)
    }

    static func unknownPath(_ path: String) -> Problem {
        Problem(status: 404, error: "not_found: \(path.prefix(200))", code: .notFound)
    }

    static func methodNotAllowed(allow: String) -> Problem {
        Problem(
            status: 405, error: "method_not_allowed", code: .methodNotAllowed,
            details: "This path answers \(allow).", allow: allow)
    }

    static let unauthorized = Problem(status: 401, error: "unauthorized", code: .unauthorized)

    static func insufficientScope(_ scope: Scope) -> Problem {
        Problem(
            status: 403, error: "insufficient_scope", code: .forbidden,
            details: "This needs the scope \(scope.rawValue).", members: ["needed_scope": scope.rawValue])
    }

    static let malformedRequest = Problem.invalidRequest("the request is not valid HTTP")

    /// The decoder does not tell which of the two limits was met.
    static func headersTooLarge(_ limits: HTTPLimits) -> Problem {
        Problem(
            status: 431, error: "headers_too_large", code: .tooLarge,
            details: "The request line and headers may have \(limits.maximumHeaderBytes) bytes together,"
                + " and \(limits.maximumHeaderFields) fields.")
    }

    static func tooManyHeaders(_ limits: HTTPLimits) -> Problem {
        Problem(
            status: 431, error: "headers_too_large", code: .tooLarge,
            details: "The headers may have \(limits.maximumHeaderFields) fields.")
    }

    static func bodyTooLarge(limit: Int) -> Problem {
        Problem(
            status: 413, error: "body_too_large", code: .tooLarge,
            details: "A request body may have \(limit) bytes.")
    }

    static func requestTimeout(_ part: String) -> Problem {
        Problem(
            status: 408, error: "request_timeout", code: .timeout, details: "The \(part) came too slowly.")
    }

    static func misdirected(_ host: String) -> Problem {
        Problem(
            status: 421, error: "misdirected_request", code: .misdirected,
            details: "This server does not answer for \(host.prefix(100)); --allowed-host names further ones."
        )
    }

    static let internalError = Problem(status: 500, error: "internal_error", code: .internalError)

    static func streamsExhausted(limit: Int) -> Problem {
        Problem(
            status: 503, error: "too_many_streams", code: .unavailable,
            details: "\(limit) streams are open, which is the limit.")
    }

    /// The store's errors while reading; an append never happens inside a request.
    init(_ error: StoreError) {
        self.init(
            status: 503, error: "store_unavailable", code: .unavailable,
            details: error.description)
    }

    /// The errors of reading Ralph's files again.
    init(_ error: TailError) {
        switch error {
        case .fileChanged:
            // A page token outlived what it points to: nothing of ours failed.
            self.init(status: 410, error: "history_gone", code: .gone, details: error.description)
        case .missing, .notPermitted, .notRegularFile, .returning, .unreadable:
            self.init(status: 500, error: "failed_to_parse_events: \(error)", code: .internalError)
        }
    }

    /// Any error that left a route; unknown ones say nothing about their inside.
    init(any error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as StoreError: self.init(error)
        case let error as SearchError: self.init(error)
        case let error as TailError: self.init(error)
        case let error as UnreadableFile: self.init(error)
        case let error as QuestionError: self.init(error)
        case let error as ControlError: self.init(error, during: .start)
        case let error as HTTPError where error.status.code < 500:
            self = .invalidRequest(error.body ?? "request")
        default: self = .internalError
        }
    }
}
