import HTTPTypes
import Hummingbird
import RalphWire

/// Routes that one type answers, each told once: the table is made of it, and the router.
protocol Routes: Sendable {
    /// In the order of `docs/http-api.md`.
    static var endpoints: [Endpoint<Self>] { get }
}

extension Routes {
    static func addTable(to table: inout RouteTable) {
        for endpoint in endpoints { table.add(endpoint.method.rawValue, endpoint.path, endpoint.scope) }
    }

    func addRoutes(to router: Router<SessionRequestContext>) {
        for endpoint in Self.endpoints {
            router.on(endpoint.routerPath, method: endpoint.method, use: endpoint.answer(self))
        }
    }
}

/// A route and what answers it.
struct Endpoint<Owner>: Sendable {
    typealias Answer = @Sendable (Request, SessionRequestContext) async throws -> Response

    let method: HTTPRequest.Method
    let path: String
    /// See ``RouteTable/Route/scope``.
    let scope: Scope?
    let answer: @Sendable (Owner) -> Answer

    init(
        _ method: HTTPRequest.Method, _ path: String, _ scope: Scope?,
        _ answer: @escaping @Sendable (Owner) -> Answer
    ) {
        (self.method, self.path, self.scope, self.answer) = (method, path, scope, answer)
    }

    /// The router's word for `{name...}` is `**`.
    var routerPath: RouterPath {
        guard path.hasSuffix("...}") else { return RouterPath(path) }
        return RouterPath(path.prefix { $0 != "{" } + "**")
    }
}
