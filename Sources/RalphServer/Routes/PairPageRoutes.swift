import HTTPTypes
import Hummingbird
import NIOCore
import RalphWire

/// The QR code for somebody who sits at this machine, as a page and as a picture.
struct PairPageRoutes: Routes {
    let pairing: Pairing
    let audit: AuditLog

    static let endpoints: [Endpoint<Self>] = [
        .init(.get, "/pair", nil, page),
        .init(.get, "/pair.svg", nil, svg),
        .init(.get, "/pair.png", nil, png),
    ]

    /// `GET /pair`.
    @Sendable private func page(_ request: Request, _ context: SessionRequestContext) async throws -> Response
    {
        let page = PairPage(invitation: try await invitation(request, context), host: pairing.host)
        return Self.response("text/html; charset=utf-8", ByteBuffer(string: page.html.text))
    }

    /// `GET /pair.svg`.
    @Sendable private func svg(_ request: Request, _ context: SessionRequestContext) async throws -> Response
    {
        let code = try await code(request, context)
        return Self.response("image/svg+xml", ByteBuffer(string: code.svg))
    }

    /// `GET /pair.png`.
    @Sendable private func png(_ request: Request, _ context: SessionRequestContext) async throws -> Response
    {
        let code = try await code(request, context)
        return Self.response("image/png", ByteBuffer(bytes: code.png))
    }

    private func code(_ request: Request, _ context: SessionRequestContext) async throws -> QRCode {
        guard let code = QRCode(try await invitation(request, context).link) else {
            throw Problem.notPairable
        }
        return code
    }

    /// The invitation of the ticket in `?t=`, which nobody needs a key for; without one a new invitation, for a
    /// caller who could ask for it anyway.
    private func invitation(
        _ request: Request, _ context: SessionRequestContext
    ) async throws -> PairingInvitation {
        let caller = context.caller
        guard caller.isLocal else { throw Problem.localOnly }
        if let ticket = try QueryItems(request.uri.query)["t"] {
            // Somebody may have followed a link, as out of a terminal in a browser. But where a page of another site leads
            // to made-up tickets, these are no tries of whoever sits here.
            return try await pairing.invitation(for: ticket, isFollowed: Self.isFromElsewhere(request))
        }
        guard let scope = caller.scope else { throw Problem.unauthorized }
        guard scope >= .start else { throw Problem.insufficientScope(.start) }
        // A link on a page of another site must not make tickets.
        guard !Self.isFromElsewhere(request) else { throw Problem.forbiddenOrigin }
        let invitation = try await pairing.invite(scope: .steer, name: nil, by: caller.device)
        // A request that only reads, by its method, and is recorded by none.
        audit.note("pairing.ticket", by: caller)
        return invitation
    }

    /// Whether a browser came here from a page of another site: by Fetch Metadata, and by its `Origin` where the
    /// browser has none of that.
    private static func isFromElsewhere(_ request: Request) -> Bool {
        if let origin = request.headers[.origin] {
            let own = ["http", "https"].map { "\($0)://\(request.head.authority ?? "")" }
            guard own.contains(where: { $0.lowercased() == origin.lowercased() }) else { return true }
        }
        guard let name = HTTPField.Name("Sec-Fetch-Site"), let site = request.headers[name] else {
            return false
        }
        return site != "none" && site != "same-origin"
    }

    /// Nothing may run in it, nobody may frame or keep it, and its address, which bears a ticket, goes nowhere.
    private static func response(_ type: String, _ body: ByteBuffer) -> Response {
        var headers: HTTPFields = [
            .contentType: type, .cacheControl: "no-store",
            .contentSecurityPolicy:
                "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; frame-ancestors 'none'; "
                + "base-uri 'none'; form-action 'none'",
            .xContentTypeOptions: "nosniff",
        ]
        if let name = HTTPField.Name("Referrer-Policy") { headers[name] = "no-referrer" }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: body))
    }
}
