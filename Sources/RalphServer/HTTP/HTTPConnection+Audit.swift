import NIOCore
import NIOHTTP1

/// What is counted and recorded of requests.
extension HTTPConnection {
    /// Counts an answer, at the moment at which it is written, and has it recorded if it has to be.
    func note(_ status: HTTPResponseStatus, _ method: HTTPMethod, opensStream: Bool = false) {
        services.figures.note(
            route: route, method: method, status: status.code,
            nanoseconds: (NIODeadline.now() - begun).nanoseconds)
        guard recorded != nil || opensStream || status.code > 400 else { return }
        recorded = nil
        services.audit.note(request(method), status: status.code, opensStream: opensStream)
    }

    /// The server ends, whatever is in hand: a request that has to be recorded is, its outcome unknown.
    func cutOff() {
        guard case .responding = state, let method = recorded else { return }
        recorded = nil
        services.audit.noteCutOff(request(method))
    }

    private func request(_ method: HTTPMethod) -> AuditRequest {
        AuditRequest(method: method, path: path, route: route, caller: caller)
    }
}
