import HTTPTypes
import Hummingbird
import RalphWire

/// Tickets for streams whose clients can send no headers; see ``StreamTickets``.
struct StreamTicketRoutes: Routes {
    /// The answer to a request for a ticket.
    private struct Object: Encodable {
        let ticket: String
        let expires_at: String
    }

    let tickets: StreamTickets

    static let endpoints: [Endpoint<Self>] = [.init(.post, "/api/stream-tickets", .watch, mint)]

    /// `POST /api/stream-tickets`: 201 with a ticket for one `?ticket=`.
    @Sendable private func mint(_ request: Request, _ context: SessionRequestContext) async throws -> Response
    {
        let ticket = try tickets.mint(for: context.caller, at: UptimeClock.milliseconds())
        let expiresAt = WallClock.milliseconds() + StreamTickets.seconds * 1000
        var response = try JSONResponse.encode(
            Object(ticket: ticket, expires_at: Timestamp.text(expiresAt)))
        response.status = .created
        return response
    }
}
