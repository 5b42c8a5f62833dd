import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOPosix
import RalphFeed
import RalphWire

/// Makes a request with an `Idempotency-Key` safe to send again: it is carried out once, and answered the same
/// each time, over restarts and for 24 hours (http-contract 16.3).
///
/// A key belongs to a method, a path and what the caller was let in with, not to an address: a phone that
/// comes back over another network asks again. Answers of 500 and above are not kept; the request may be made
/// again then. A POST that only reads is carried out each time: the store is for those who change something.
struct IdempotencyMiddleware: RouterMiddleware {
    typealias Context = SessionRequestContext

    private static let header = HTTPField.Name("Idempotency-Key")
    private static let replayed = HTTPField.Name("Idempotency-Replayed")
    /// What gives out secrets: their answers are not kept, and a request is carried out each time.
    private static let secretPaths: Set<String> = [
        "/api/pairing/tickets", "/api/pairing/redeem", "/api/stream-tickets",
    ]
    /// What is carried out whatever the store says, and does nothing more where it is done twice.
    private static let unfailing: Set<String> = [
        "DELETE /api/sessions/{id}", "POST /api/sessions/{id}/stop", "POST /api/sessions/{id}/pause",
        "POST /api/runner/stop",
    ]
    private static let methods: Set<HTTPRequest.Method> = [.post, .put, .patch, .delete]

    let ledger: ControlLedger
    let threads: NIOThreadPool
    let table: RouteTable

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard Self.methods.contains(request.method), let name = Self.header,
            table.methods(for: request.uri.path).contains(request.method.rawValue)
        else { return try await next(request, context) }
        let keys = request.headers[values: name]
        guard let key = keys.first else { return try await next(request, context) }
        guard keys.count == 1, Self.isKey(key) else {
            throw Problem.invalidRequest("Idempotency-Key must be 1 to 255 visible ASCII characters")
        }
        let path = request.uri.path
        if Self.secretPaths.contains(path) || request.method == .post && table.readsByPost(path) {
            return try await next(request, context)
        }
        var request = request
        let body = try await request.collectBody(upTo: .max)  // bounded by the connection
        let scope = "\(request.method.rawValue) \(path) \(context.caller.access.text)"
        let entry: IdempotentEntry
        do {
            entry = try await begin(key, scope, Self.digest(request.uri.query, body))
        } catch let error as StoreError {
            let route = table.route(request.method.rawValue, path)
            guard let route, Self.unfailing.contains("\(route.method) \(route.path)") else { throw error }
            context.logger.error(
                "A command is carried out without its key", metadata: ["error": "\(LoggedError.text(error))"])
            return try await next(request, context)
        }
        switch entry {
        case .new: return try await carryOut(request, context, key, scope, next)
        case .inProgress: throw Problem.idempotencyInProgress
        case .interrupted: throw Problem.idempotencyInterrupted
        case .mismatch: throw Problem.idempotencyConflict
        case .answered(let status, _, nil): throw Problem.idempotencyNotKept(status)
        case .answered(let status, let location, let body?):
            return Self.replay(status: status, location: location, body: body)
        }
    }

    private func begin(_ key: String, _ scope: String, _ digest: [UInt8]) async throws -> IdempotentEntry {
        try await threads.runIfActive { [ledger] in
            try ledger.beginIdempotent(
                key: key, scope: scope, digest: digest, at: WallClock.milliseconds())
        }
    }

    private func carryOut(
        _ request: Request, _ context: Context, _ key: String, _ scope: String,
        _ next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            var response = try await next(request, context)
            let body = try await CollectedBody.collect(response.body)
            response.body = .init(byteBuffer: body)
            await keep(response, Array(buffer: body), key, scope, context.logger)
            return response
        } catch {
            await keep(nil, [], key, scope, context.logger)
            throw error
        }
    }

    /// Keeps an answer, or lets go of the key where there is none worth keeping.
    private func keep(
        _ response: Response?, _ body: [UInt8], _ key: String, _ scope: String, _ logger: Logger
    ) async {
        do {
            try await threads.runIfActive { [ledger] in
                guard let response, response.status.code < 500 else {
                    return try ledger.abandonIdempotent(key: key, scope: scope)
                }
                try ledger.finishIdempotent(
                    key: key, scope: scope, status: response.status.code,
                    location: response.headers[.location], body: body)
            }
        } catch {
            logger.error(
                "An answer cannot be kept for its repetition",
                metadata: ["error": "\(LoggedError.text(error))"])
        }
    }

    private static func isKey(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Of everything that the answer depends on beside the path.
    private static func digest(_ query: String?, _ body: ByteBuffer) -> [UInt8] {
        var hash = SHA256()
        hash.update(data: Data((query ?? "").utf8))
        hash.update(data: [0])
        hash.update(data: Data(body.readableBytesView))
        return Array(hash.finalize())
    }

    private static func replay(status: Int, location: String?, body: [UInt8]) -> Response {
        var response = JSONResponse.make(ByteBuffer(bytes: body))
        response.status = .init(code: status)
        if let location { response.headers[.location] = location }
        if let replayed { response.headers[replayed] = "true" }
        return response
    }
}
