import Foundation
import NIOHTTP1
import RalphWire

extension RemoteExamination {
    /// How a server introduces itself (`/.well-known/ralph-mobile`).
    private struct Card: Decodable {
        struct Auth: Decodable {
            let required: Bool
        }

        let name: String
        let version: String
        let tls_fingerprint: String?
        let auth: Auth
    }

    private struct Health: Decodable {
        let timestamp: String
    }

    /// Reads the card, and compares its fingerprint with what was seen.
    func tellCard(_ dialer: Dialer, _ trust: Trust, _ findings: inout [Finding]) async {
        do {
            let reply = try await dialer.get("/.well-known/ralph-mobile", trust: trust)
            // What cannot be read is told as what it is.
            guard reply.status == 200, let card = try? JSONDecoder().decode(Card.self, from: Data(reply.body))
            else {
                findings.append(
                    .warn(
                        "server", "no card at /.well-known/ralph-mobile (\(reply.status))",
                        "Let the proxy pass every path on."))
                return
            }
            findings.append(
                .ok(
                    "server",
                    "\(card.name) \(card.version), a key is \(card.auth.required ? "" : "not ")asked for"))
            if remote.isSecure { await compare(card, dialer, &findings) }
        } catch {
            findings.append(.warn("server", error.description, "Let the proxy pass every path on."))
        }
    }

    private func compare(_ card: Card, _ dialer: Dialer, _ findings: inout [Finding]) async {
        guard let claimed = card.tls_fingerprint.map(CertificateFacts.normalized) else {
            findings.append(.ok("certificate", "of a proxy: the server behind it speaks plain HTTP"))
            return
        }
        // A server that answered a moment ago may be gone; then there is nothing to compare.
        guard let seen = try? await dialer.handshake().certificate?.fingerprint else { return }
        findings.append(
            seen == claimed
                ? .ok("certificate", "the server's own: nothing in between ends TLS")
                : .warn(
                    "certificate", "not the server's own: something in between ends TLS",
                    "Fine if that is your proxy; a paired phone expects the fingerprint of its QR code."))
    }

    /// Whether `/api` lets us in; tells of the key and of the clock.
    func admitted(
        _ dialer: Dialer, _ trust: Trust, _ headers: [(String, String)], _ findings: inout [Finding]
    ) async -> Bool {
        do {
            let reply = try await dialer.get("/api/health", headers: headers, trust: trust)
            let place = AddressPlace(dialer.address)
            var hasKey = !headers.isEmpty
            if hasKey, reply.status == 200 {
                // Where nobody is asked for a key, any is passed over.
                hasKey = try await dialer.get("/api/health", trust: trust).status != 200
            }
            findings.append(Self.judge(status: reply.status, hasKey: hasKey, place: place))
            if let difference = Self.clockDifference(reply) {
                findings.append(AnswerRules.judge(clockDifference: difference))
            }
            return reply.status == 200
        } catch {
            findings.append(.fail("key", error.description, "See the server's log."))
            return false
        }
    }

    /// What an answer to a question that needs the scope `watch` says.
    static func judge(status: Int, hasKey: Bool, place: AddressPlace) -> Finding {
        switch status {
        case 200 where hasKey: return .ok("key", "accepted")
        case 200 where place == .loopback: return .ok("key", "none is needed from here")
        case 200:
            return .fail(
                "key", "nobody is asked for one here: everybody who reaches this address may start programs",
                "Set RALPH_API_KEY.")
        case 401 where hasKey:
            return .fail("key", "refused (401)", "Take the server's key, or a token of a paired device.")
        case 401:
            return .warn(
                "key", "one is needed (401); the stream was not measured",
                "Name a file that holds it with --key-file, or set RALPH_API_KEY.")
        case 421:
            return .fail(
                "host", "the server does not answer for this name (421)",
                "Start it with --allowed-host and this name.")
        case 403: return .fail("key", "refused (403)", "The proxy may send a foreign Origin header.")
        case 429: return .fail("key", "too many requests (429)", "Wait a minute and try again.")
        default:
            return .fail(
                "api", "/api/health answered with \(status)", "Let the proxy pass every path on; see the log."
            )
        }
    }

    /// Milliseconds that its clock is ahead of ours, as exact as it tells.
    private static func clockDifference(_ reply: Reply) -> Int64? {
        let now = WallClock.milliseconds()
        // Without a report the head may tell.
        if let health = try? JSONDecoder().decode(Health.self, from: Data(reply.body)),
            let time = Timestamp.parse(Array(health.timestamp.utf8))
        {
            return time - now
        }
        return reply.head.headers.first(name: "date").flatMap(AnswerRules.milliseconds(date:)).map {
            $0 - now
        }
    }
}
