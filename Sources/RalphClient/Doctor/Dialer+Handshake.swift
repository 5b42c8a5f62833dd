import NIOCore
import NIOSSL
import RalphWire

extension Dialer {
    /// Shakes hands twice: once with any certificate, to see it, and once as a client would.
    ///
    /// - Throws: ``NoAnswer`` if not even the first succeeds.
    func handshake() async throws(NoAnswer) -> HandshakeFacts {
        var facts = try await handshake(trust: .anything, protocols: ["h2", "http/1.1"])
        do {
            _ = try await handshake(trust: .system, protocols: ["http/1.1"])
        } catch {
            facts.distrust = error.description
        }
        return facts
    }

    private func handshake(trust: Trust, protocols: [String]) async throws(NoAnswer) -> HandshakeFacts {
        do {
            let facts = try await Deadline.value(within: limits.connect * 2) {
                try await shakeHands(trust, protocols)
            }
            guard let facts else { throw NoAnswer(description: "no handshake in time") }
            return facts
        } catch let error as NoAnswer {
            throw error
        } catch {
            throw NoAnswer(description: Self.words(error))
        }
    }

    private func shakeHands(_ trust: Trust, _ protocols: [String]) async throws -> HandshakeFacts {
        let exchange = try await open(nil, trust: trust, protocols: protocols)
        defer { exchange.close() }
        for try await arrival in exchange.arrivals {
            guard case .secured(let negotiated, let version) = arrival.part else { continue }
            let certificate = try await exchange.channel.nioSSL_peerCertificate().get()
            return HandshakeFacts(
                version: version, negotiated: negotiated,
                certificate: certificate.flatMap(CertificateFacts.init),
                // This task may hear of the connection after the handshake is over.
                time: max(.zero, arrival.at - exchange.connectedAt))
        }
        throw NoAnswer(description: "closed during the handshake")
    }
}
