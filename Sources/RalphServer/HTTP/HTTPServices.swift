import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import RalphWire

/// What every connection needs; the same for all of them.
struct HTTPServices: Sendable {
    let gate: AccessGate
    let access: AccessLimits
    let crossOrigin: CrossOriginPolicy
    let figures: RequestFigures
    let audit: AuditLog
    let limits: HTTPLimits
    let streams: StreamRoutes
    let table: RouteTable
    let responder: any HTTPResponder<SessionRequestContext>
    let logger: Logger
    /// Answers that need no waiting, straight from memory on the event loop.
    let ready: @Sendable (HTTPRequestHead, RequestPath) -> Answer?

    /// What can be answered before the sessions are known, by its first name below `/api`.
    private static let ownNames: Set<Substring> = [
        "health", "host", "metrics", "devices", "device", "stream-tickets", "audit", "pairing",
    ]

    /// Whether what is asked for depends on sessions, while the server listens though it does not know them yet: whoever
    /// is told that there is no such session does not ask again.
    func isUntimely(_ head: HTTPRequestHead, _ path: RequestPath) -> Bool {
        guard streams.catalogue.isFirstLookLate, head.method != .OPTIONS else { return false }
        let segments = path.segments
        guard segments.first == "api", segments.count > 1, !Self.ownNames.contains(segments[1]) else {
            return false
        }
        return !table.methods(for: path.path).isEmpty
    }

    /// Runs the router; every error comes back as an answer.
    func respond(
        to head: HTTPRequestHead, _ path: RequestPath, body: ByteBuffer, caller: Caller
    ) async -> Answer {
        do {
            if head.method == .OPTIONS { return options(path, head.headers) }
            var head = head
            head.uri = path.target
            if head.method == .HEAD { head.method = .GET }  // the connection leaves the body out
            let request = Request(
                head: try HTTPRequest(head, secure: false, splitCookie: false),
                body: RequestBody(buffer: body))
            var logger = logger
            logger[metadataKey: "request.id"] = "\(UInt64.random(in: 0...UInt64.max))"
            let response = try await responder.respond(
                to: request,
                context: SessionRequestContext(
                    source: .init(
                        logger: logger,
                        caller: caller,
                        rawPath: path.raw)))
            return Answer(
                status: HTTPResponseStatus(statusCode: response.status.code),
                headers: HTTPHeaders(response.headers),
                body: try await CollectedBody.collect(response.body))
        } catch {
            return Answer(Problem(any: error))
        }
    }

    /// `answer` as this client is to get it: errors in the form that it asks for, and who may read it.
    func adapted(_ answer: Answer, to head: HTTPRequestHead) -> Answer {
        var answer = answer
        if answer.head.status.code >= 400 { ProblemDocument.adapt(&answer, for: head.headers) }
        crossOrigin.adapt(&answer.head.headers, for: head.headers)
        return answer
    }

    private func options(_ path: RequestPath, _ request: HTTPHeaders) -> Answer {
        let methods = table.methods(for: path.path).joined(separator: ", ")
        guard !methods.isEmpty else { return Answer(.unknownPath(path.path)) }
        var answer = Answer(json: ByteBuffer(string: #"{"allow":"\#(methods)"}"#))
        answer.head.headers.add(name: "Allow", value: methods)
        crossOrigin.adaptPreflight(&answer.head.headers, methods: methods, for: request)
        return answer
    }
}
