import Hummingbird
import RalphWire

/// Asks for the scope once more, of the endpoint that the router found: the gate looked at the path, and a path
/// that the two read differently must open nothing.
struct ScopeMiddleware: RouterMiddleware {
    typealias Context = SessionRequestContext

    let rights: RouteRights

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        // A path without an endpoint ends in a 404.
        guard let endpoint = context.endpointPath else { return try await next(request, context) }
        let needed = rights.scope(request.method.rawValue, endpoint: endpoint)
        if let needed, context.caller.scope.map({ $0 < needed }) ?? true {
            throw Problem.insufficientScope(needed)
        }
        return try await next(request, context)
    }
}
