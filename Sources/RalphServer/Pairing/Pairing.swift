import NIOPosix
import RalphWire

/// How a device gets a token: somebody who may do everything makes a ticket, a person carries it over, the device
/// redeems it.
struct Pairing: Sendable {
    let devices: DeviceBook
    let threads: NIOThreadPool
    /// What the server is bound to.
    let host: String
    let port: ListeningPort
    /// SHA-256 of the certificate that is shown now; `nil`: plain HTTP.
    let fingerprint: @Sendable () -> String?
    /// Milliseconds since 1970.
    var now: @Sendable () -> Int64 = WallClock.milliseconds
    /// By which tickets expire and tries are forgotten: milliseconds of a clock that never goes back.
    var uptime: @Sendable () -> Int64 = UptimeClock.milliseconds
    let tickets = PairingTickets()
    let tries = PairingTries()

    /// A new ticket for one device.
    ///
    /// - Parameters:
    ///   - scope: all that the device will be able to do.
    ///   - name: what it will be called; `nil`: as it calls itself.
    ///   - opener: the device that asks; its tickets end with it. `nil`: none does.
    /// - Throws: ``Problem`` when too many are open, 401 for a device that was revoked meanwhile.
    func invite(scope: Scope, name: DeviceName?, by opener: DeviceID?) async throws -> PairingInvitation {
        guard port.number != nil else { throw Problem.notPairable }
        let (ticket, grant) = try tickets.open(scope: scope, name: name, by: opener, at: uptime())
        guard devices.knows(grant.opener) else {
            _ = tickets.take(ticket, at: uptime())
            throw Problem.unauthorized
        }
        do {
            return try await invitation(ticket, grant)
        } catch {
            // Nobody gets to know it.
            _ = tickets.take(ticket, at: uptime())
            throw error
        }
    }

    /// The invitation that an open ticket belongs to, for somebody at this machine.
    ///
    /// - Parameter isFollowed: whether a link on a page of another site led to it; such tries are counted apart.
    /// - Throws: ``Problem`` as ``redeem(_:name:by:isLocal:)``, of whose tries this is one.
    func invitation(for text: String, isFollowed: Bool) async throws -> PairingInvitation {
        let now = uptime()
        if let ticket = PairingTicket(text), let grant = tickets.grant(of: ticket, at: now),
            devices.knows(grant.opener)
        {
            return try await invitation(ticket, grant)
        }
        // A right one is shown whatever was tried before: nobody guesses 128 bits, and over plain HTTP a browser does not
        // tell of a page on another site that leads it here.
        return try tries.attempt(by: "this machine", isLocal: !isFollowed, at: now) { nil }
    }

    /// Gives a device its token, for a ticket that is used up by this.
    ///
    /// The scope is the ticket's. A ticket whose device cannot be stored counts on.
    ///
    /// - Parameter isLocal: whether it asks on this machine, where tries are counted apart from those that a proxy on it
    ///   passes on.
    /// - Throws: ``Problem`` 401 for a ticket that does not count, 429 after too many of them, and what
    ///   ``DeviceProblem`` says.
    func redeem(
        _ text: String, name: DeviceName?, by peer: String, isLocal: Bool
    ) async throws -> PairedDevice {
        let (now, uptime) = (now(), uptime())
        let ticket = PairingTicket(text)
        let grant = try tries.attempt(by: peer, isLocal: isLocal, at: uptime) {
            ticket.flatMap { tickets.take($0, at: uptime) }.flatMap { devices.knows($0.opener) ? $0 : nil }
        }
        do {
            guard let name = grant.name ?? name else { throw Problem.invalidRequest("name is required") }
            let (device, token) = try await threads.runIfActive { [devices] in
                do throws(DeviceProblem) {
                    return try devices.register(
                        name: name.text, scope: grant.scope, invitedBy: grant.opener, at: now)
                } catch { throw Problem(error) }
            }
            return PairedDevice(
                device: DeviceObject(device), token: token, server: .init(tls_fingerprint: fingerprint()))
        } catch {
            if let ticket, devices.knows(grant.opener) { tickets.giveBack(ticket, grant) }
            throw error
        }
    }

    private func invitation(
        _ ticket: PairingTicket, _ grant: PairingTickets.Grant
    ) async throws -> PairingInvitation {
        guard let port = port.number else { throw Problem.notPairable }
        let machine = try await threads.runIfActive { MachineAddress.all() }
        let place = ReachableHosts(bound: host, port: port, machine: machine)
        let expiry = now() + grant.expiresAt - uptime()
        guard
            let invitation = PairingInvitation(
                ticket, grant, until: expiry, at: place, fingerprint: fingerprint())
        else { throw Problem.notPairable }
        return invitation
    }
}
