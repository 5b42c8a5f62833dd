import NIOHTTP1

/// Which web pages may read our answers (Fetch, "CORS protocol"; http-contract 1.1): those of this machine and
/// those that the settings name. Never `*`, never with credentials: a page has to send the key itself.
struct CrossOriginPolicy: Sendable {
    /// One value of `--allowed-origin`.
    enum Rule: Sendable, Hashable {
        /// This origin and no other.
        case origin(WebOrigin)
        /// Pages of this host, by http and https, from any port.
        case host(String)

        /// `nil` for what is neither an origin nor a host name; `*` and `null` are not.
        init?(_ text: String) {
            if text.contains("/") {
                guard let origin = WebOrigin(text) else { return nil }
                self = .origin(origin)
            } else {
                var name = text.lowercased()
                // As origins are compared.
                if name.hasSuffix(".") { name.removeLast() }
                guard name != "null", WebOrigin.isHost(name) else { return nil }
                self = .host(name)
            }
        }
    }

    /// Seconds for which a browser may remember what a preflight said.
    static let maximumAge = 600
    /// Headers that a page may send, beside those that need no leave.
    static let allowedHeaders =
        "Accept, Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Api-Key"
    /// Headers of an answer that a page may read, beside those that need no leave.
    static let exposedHeaders =
        "Allow, Content-Disposition, Idempotency-Replayed, Location, Retry-After, WWW-Authenticate"

    private let rules: Set<Rule>

    /// - Parameter allowed: values of `--allowed-origin`; what is none allows nothing.
    init(allowed: [String] = []) {
        rules = Set(allowed.compactMap(Rule.init))
    }

    /// Whether pages of `origin` may read answers.
    func allows(_ origin: WebOrigin) -> Bool {
        if rules.contains(.origin(origin)) { return true }
        return origin.isWeb && (origin.isLoopback || rules.contains(.host(origin.host)))
    }

    /// Says in the headers of an answer who may read it. Every answer depends on the asking page, so every
    /// answer says so: a cache must not give one page's answer to another.
    func adapt(_ headers: inout HTTPHeaders, for request: HTTPHeaders) {
        headers.add(name: "vary", value: "Origin")
        guard let text = allowedOrigin(of: request) else { return }
        headers.add(name: "access-control-allow-origin", value: text)
        headers.add(name: "access-control-expose-headers", value: Self.exposedHeaders)
    }

    /// Adds to an answer to OPTIONS what a page may send to a path of these `methods`.
    func adaptPreflight(_ headers: inout HTTPHeaders, methods: String, for request: HTTPHeaders) {
        headers.add(name: "vary", value: "Access-Control-Request-Method, Access-Control-Request-Headers")
        guard Self.isPreflight(request), allowedOrigin(of: request) != nil else { return }
        headers.add(name: "access-control-allow-methods", value: methods)
        headers.add(name: "access-control-allow-headers", value: Self.allowedHeaders)
        headers.add(name: "access-control-max-age", value: String(Self.maximumAge))
    }

    /// Whether a browser asks on behalf of a page what it may send; such a request never bears a key.
    static func isPreflight(_ request: HTTPHeaders) -> Bool {
        request.contains(name: "origin") && request.contains(name: "access-control-request-method")
    }

    /// The origin of a request as it was sent, if its page may read the answer.
    private func allowedOrigin(of request: HTTPHeaders) -> String? {
        guard let text = request.first(name: "origin"), request["origin"].count == 1,
            let origin = WebOrigin(text), allows(origin)
        else { return nil }
        return text
    }
}
