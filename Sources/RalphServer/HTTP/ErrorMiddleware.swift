import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import RalphFeed
import RalphWire

/// Turns whatever a route throws into the documented error body, and logs it: the one place for both.
struct ErrorMiddleware: RouterMiddleware {
    typealias Context = SessionRequestContext

    let routes: RouteTable

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            let problem = problem(for: error, request)
            if Self.isFailure(error, problem) {
                context.logger.error(
                    "Request failed",
                    metadata: [
                        "problem.error": "\(LoggedError.text(problem))",
                        "error": "\(LoggedError.text(error))",
                    ])
            } else {
                context.logger.debug(
                    "Request refused", metadata: ["problem.error": "\(LoggedError.text(problem))"])
            }
            return problem.response
        }
    }

    /// Whether an error is a failure of ours. A route that says "not now" has not failed, nor has a search that takes too
    /// long; a store that cannot be read has.
    static func isFailure(_ error: any Error, _ problem: Problem) -> Bool {
        let isRefusal = problem.status == 503 && (error is Problem || error is SearchError)
        return problem.status >= 500 && !isRefusal
    }

    private func problem(for error: any Error, _ request: Request) -> Problem {
        guard let error = error as? HTTPError, error.status == .notFound else { return Problem(any: error) }
        let allowed = routes.methods(for: request.uri.path)
        return allowed.isEmpty
            ? .unknownPath(request.uri.path) : .methodNotAllowed(allow: allowed.joined(separator: ", "))
    }
}

extension Problem {
    /// What its answer tells beside the body.
    var headers: HTTPFields {
        var headers: HTTPFields = [
            .contentType: "application/json", .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
        ]
        if let allow { headers[.allow] = allow }
        if status == 401 { headers[.wwwAuthenticate] = "Bearer" }
        if let retryAfter { headers[.retryAfter] = String(retryAfter) }
        return headers
    }

    /// The complete response for a problem.
    var response: Response {
        Response(
            status: .init(code: status), headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }
}
