import Hummingbird
import NIOPosix
import RalphWire

/// The paired devices: who they are, and that they are no more.
struct DeviceRoutes: Routes {
    let devices: DeviceBook
    let pairings: PairingTickets
    let endings: StreamEnding
    let threads: NIOThreadPool

    static let endpoints: [Endpoint<Self>] = [
        .init(.get, "/api/devices", .start, list),
        .init(.delete, "/api/devices/{id}", .start, revoke),
        .init(.get, "/api/device", .watch, own),
        .init(.delete, "/api/device", .watch, leave),
    ]

    /// `GET /api/devices`: the oldest first.
    @Sendable private func list(_ request: Request, _ context: SessionRequestContext) async throws -> Response
    {
        try JSONResponse.encode(devices.all.map(DeviceObject.init))
    }

    /// `DELETE /api/devices/{id}`: its token counts no more, and its streams end.
    @Sendable private func revoke(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        guard let id = DeviceID(String(context.idSegment)) else { throw Problem.deviceNotFound }
        return try await revoke(id)
    }

    /// `GET /api/device`: the device that asks.
    @Sendable private func own(_ request: Request, _ context: SessionRequestContext) async throws -> Response
    {
        guard let device = context.caller.device.flatMap(devices.device) else { throw Problem.noDevice }
        return try JSONResponse.encode(DeviceObject(device))
    }

    /// `DELETE /api/device`: the device that asks takes its leave.
    @Sendable private func leave(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        guard let id = context.caller.device else { throw Problem.noDevice }
        return try await revoke(id)
    }

    private func revoke(_ id: DeviceID) async throws -> Response {
        let result = try await threads.runIfActive { [devices] in
            Result { () throws(DeviceProblem) in try devices.revoke(id) }
        }
        // Also when it is not on disk: it counts no more.
        pairings.end(of: id)
        await endings.end(id)
        guard let revoked = try result.mapError({ Problem(revoking: $0) }).get() else {
            throw Problem.deviceNotFound
        }
        return try JSONResponse.encode(DeviceObject(revoked))
    }
}
