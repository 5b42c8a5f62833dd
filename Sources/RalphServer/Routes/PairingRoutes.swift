import HTTPTypes
import Hummingbird
import RalphWire

/// Tickets for pairing, and what they buy.
struct PairingRoutes: Routes {
    /// Bytes of a ticket, a scope or a name that are read; what is longer is 413.
    private static let memberBytes = 1024

    let pairing: Pairing
    let audit: AuditLog

    static let endpoints: [Endpoint<Self>] = [
        .init(.post, "/api/pairing/tickets", .start, invite),
        .init(.post, "/api/pairing/redeem", nil, redeem),
    ]

    /// `POST /api/pairing/tickets`: 201 with a ticket for one device.
    @Sendable private func invite(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        let body = try await RequestObject.readIfAny(request)
        let name = try Self.name(body)
        return try Self.created(
            await pairing.invite(scope: Self.scope(body), name: name, by: context.caller.device))
    }

    /// `POST /api/pairing/redeem`: 201 with the token of a new device.
    @Sendable private func redeem(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        let body = try await RequestObject.read(request)
        guard let ticket = try body.string("ticket", limit: Self.memberBytes) else {
            throw Problem.invalidRequest("ticket is required")
        }
        let caller = context.caller
        let paired = try await pairing.redeem(
            ticket, name: Self.name(body), by: caller.peer, isLocal: caller.isLocal)
        audit.note("device.paired", by: caller, target: paired.device.id)
        return try Self.created(paired)
    }

    private static func name(_ body: RequestObject) throws(Problem) -> DeviceName? {
        guard let text = try body.text("name", limit: memberBytes) else { return nil }
        return try DeviceName(text)
    }

    /// What a device may do if nobody says otherwise: all but starting and stopping.
    private static func scope(_ body: RequestObject) throws(Problem) -> Scope {
        guard let text = try body.string("scope", limit: memberBytes) else { return .steer }
        guard let scope = Scope(rawValue: text) else {
            throw .invalidRequest("scope must be watch, answer, steer or start")
        }
        return scope
    }

    private static func created(_ value: some Encodable) throws -> Response {
        var response = try JSONResponse.encode(value)
        response.status = .created
        return response
    }
}
