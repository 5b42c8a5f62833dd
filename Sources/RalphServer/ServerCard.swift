/// How the server introduces itself at `/.well-known/ralph-mobile` (RFC 8615), to a client that has found an
/// address and nothing else.
struct ServerCard: Encodable, Sendable {
    struct Auth: Encodable, Sendable {
        let required: Bool
        /// Headers that a key can come in.
        let schemes = ["X-Api-Key", "Authorization: Bearer"]
    }

    struct Links: Encodable, Sendable {
        let api = "/api"
        let events = "/api/events"
        let health = "/api/health"
        let live = "/livez"
        let ready = "/readyz"
        let metrics = "/metrics"
        let openapi = "/openapi.json"
        let docs = "/docs"
    }

    /// Moves when a client of the old one would break.
    static let apiVersion = "1"

    let name = "ralph-mobile-server"
    let version = ServerVersion.text
    let api_version = Self.apiVersion
    let auth: Auth
    /// SHA-256 of the certificate, in hexadecimal; `nil`: the server speaks plain HTTP.
    let tls_fingerprint: String?
    /// What can be relied on, in words that only ever are added.
    let features = [
        "sessions", "events.sse", "events.ndjson", "history", "control", "idempotency", "questions", "loops",
        "host", "metrics", "problem+json", "cors", "openapi", "library", "tasks", "memories", "config",
        "diff",
        "export", "search", "figures", "signals", "pairing",
    ]
    let links = Links()

    init(isKeyRequired: Bool, fingerprint: String?) {
        auth = Auth(required: isKeyRequired)
        tls_fingerprint = fingerprint
    }

    private enum CodingKeys: String, CodingKey {
        case name, version, api_version, auth, tls_fingerprint, features, links
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(version, forKey: .version)
        try container.encode(api_version, forKey: .api_version)
        try container.encode(auth, forKey: .auth)
        // Written as null, not left out: a client can rely on the member.
        try container.encode(tls_fingerprint, forKey: .tls_fingerprint)
        try container.encode(features, forKey: .features)
        try container.encode(links, forKey: .links)
    }
}
