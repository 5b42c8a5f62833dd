import RalphWire
import Synchronization

/// The tickets that can be redeemed now. Only their digests are kept, in memory, so that a restart ends them all.
final class PairingTickets: Sendable {
    /// Seconds that a ticket counts.
    static let seconds: Int64 = 180
    /// Tickets at once; the next one is refused.
    static let maximumTickets = 16

    /// What a ticket buys.
    struct Grant: Sendable, Equatable {
        let scope: Scope
        /// The device's name, if it was chosen with the ticket.
        let name: DeviceName?
        /// The device that made it; `nil`: none did.
        let opener: DeviceID?
        /// Milliseconds of the clock that it was opened by.
        let expiresAt: Int64
    }

    private let grants = Mutex<[[UInt8]: Grant]>([:])

    init() {}

    /// A new ticket.
    ///
    /// - Parameters:
    ///   - opener: the device that makes it; `nil`: none does.
    ///   - now: milliseconds of a clock that never goes back.
    /// - Throws: ``Problem`` 429 when ``maximumTickets`` are open.
    func open(
        scope: Scope, name: DeviceName?, by opener: DeviceID?, at now: Int64
    ) throws(Problem) -> (ticket: PairingTicket, grant: Grant) {
        let ticket = PairingTicket.random()
        let grant = Grant(
            scope: scope, name: name, opener: opener, expiresAt: now + Self.seconds * 1000)
        let seconds = grants.withLock { grants -> Int64? in
            grants = grants.filter { $0.value.expiresAt > now }
            guard grants.count < Self.maximumTickets else {
                let first = grants.values.map(\.expiresAt).min() ?? now
                return (first - now + 999) / 1000
            }
            grants[Self.digest(ticket)] = grant
            return nil
        }
        if let seconds { throw .tooManyTickets(retryAfter: Int(seconds)) }
        return (ticket, grant)
    }

    /// What an open ticket buys; `nil`: it is none, was used, or has expired.
    func grant(of ticket: PairingTicket, at now: Int64) -> Grant? {
        grants.withLock { $0[Self.digest(ticket)] }.flatMap { $0.expiresAt > now ? $0 : nil }
    }

    /// Uses a ticket up; two who come at once cannot both get it.
    func take(_ ticket: PairingTicket, at now: Int64) -> Grant? {
        let grant = grants.withLock { $0.removeValue(forKey: Self.digest(ticket)) }
        return grant.flatMap { $0.expiresAt > now ? $0 : nil }
    }

    /// Makes a ticket count again that bought nothing, for as long as it would have.
    func giveBack(_ ticket: PairingTicket, _ grant: Grant) {
        grants.withLock { $0[Self.digest(ticket)] = grant }
    }

    /// Ends the tickets that a device made.
    func end(of opener: DeviceID) {
        grants.withLock { grants in grants = grants.filter { $0.value.opener != opener } }
    }

    /// Found by its digest: how long that takes tells nothing of a ticket.
    private static func digest(_ ticket: PairingTicket) -> [UInt8] { Secret.digest(ticket.text) }
}
