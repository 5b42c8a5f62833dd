import NIOCore
import NIOHTTP1

/// What is counted and recorded of requests.
extension HTTPConnection {
    /// Counts an answer, at the moment at which it is written, and has it recorded if it has to be.
    func note(_ status: HTTPResponseStatus, _ method: HTTPMethod, opensStream: Bool = false) {
        services.figures.note(
            route: route, method: method, status: status.code,
            nanoseconds: (NIODeadline.now() - begun).nanoseconds)
        guard !isCutOff, recorded != nil || opensStream || status.code > 400 else { return }
        if recorded != nil { shard.letGo(of: self) }
        recorded = nil
        services.audit.note(request(method), status: status.code, opensStream: opensStream)
    }

    /// The server ends while a request that has to be recorded is carried out: its outcome is unknown.
    func cutOff() {
        guard let method = recorded else { return }
        isCutOff = true
        services.audit.noteCutOff(request(method))
    }

    private func request(_ method: HTTPMethod) -> AuditRequest {
        AuditRequest(method: method, path: path, route: route, caller: caller)
    }
}
