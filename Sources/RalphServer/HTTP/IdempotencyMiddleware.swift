import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOPosix
import RalphFeed
import RalphSessions
import RalphWire

/// Makes a request with an `Idempotency-Key` safe to send again: it is carried out once, and answered the same
/// each time, over restarts and for 24 hours (http-contract 16.3). Without the header the member `clientMessageId`
/// of a JSON body is the key.
///
/// A key belongs to a method, a path and what the caller was let in with, not to an address: a phone that
/// comes back over another network asks again. Answers of 500 and above are not kept; the request may be made
/// again then. A POST that only reads is carried out each time: the store is for those who change something.
struct IdempotencyMiddleware: RouterMiddleware {
    typealias Context = SessionRequestContext

    private static let header = HTTPField.Name("Idempotency-Key")
    private static let member: StaticString = "clientMessageId"
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
        let path = request.uri.path
        guard Self.methods.contains(request.method),
            table.methods(for: path).contains(request.method.rawValue)
        else { return try await next(request, context) }
        let named = try Self.headerKey(request)
        if Self.secretPaths.contains(path) || request.method == .post && table.readsByPost(path) {
            return try await next(request, context)
        }
        var request = request
        let body = try await request.collectBody(upTo: .max)  // bounded by the connection
        let route = table.route(request.method.rawValue, path)
        let isUnfailing = route.map { Self.unfailing.contains("\($0.method) \($0.path)") } ?? false
        guard let key = try named ?? Self.memberKey(body, isStrict: !isUnfailing) else {
            return try await next(request, context)
        }
        let scope = "\(request.method.rawValue) \(path) \(context.caller.access.text)"
        let entry: IdempotentEntry
        do {
            entry = try await begin(key, scope, Self.digest(request.uri.query, body))
        } catch let error as StoreError {
            guard isUnfailing else { throw error }
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

    /// The key in the header; `nil`: there is none.
    private static func headerKey(_ request: Request) throws(Problem) -> String? {
        guard let header else { return nil }
        let keys = request.headers[values: header]
        guard let key = keys.first else { return nil }
        guard keys.count == 1, isKey(key) else { throw notKey("Idempotency-Key") }
        return key
    }

    /// The key in a JSON body; `nil`: there is none, or the body is for the route to refuse.
    ///
    /// - Parameter isStrict: whether a value that is no key is refused, or passed over.
    private static func memberKey(_ body: ByteBuffer, isStrict: Bool) throws(Problem) -> String? {
        // Most bodies have none and need not be taken apart for that.
        let bytes = Array(buffer: body)
        guard ByteSearch.holds(bytes[...], member), let value = JSONObject(bytes)?.value("\(member)") else {
            return nil
        }
        switch value {
        case .null: return nil
        case .string(let key) where isKey(key): return key
        case _ where isStrict: throw notKey("\(member)")
        default: return nil
        }
    }

    private static func notKey(_ name: String) -> Problem {
        .invalidRequest("\(name) must be 1 to 255 visible ASCII characters")
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
