import RalphWire
import Synchronization

/// Tickets by which a browser, whose streams can bear no headers, opens one stream: each counts once and for
/// half a minute, so that an address that gets into a log or a history is worth nothing.
final class StreamTickets: Sendable {
    /// Seconds that a ticket counts.
    static let seconds: Int64 = 30
    /// Tickets at once; the next one is refused.
    static let maximumTickets = 1024
    /// Tickets of one device, or of all callers that are none, at once; the next one is refused.
    static let maximumPerCaller = 64

    private struct Ticket {
        let caller: Caller
        /// Milliseconds of the clock that it was minted by.
        let expiresAt: Int64
    }

    private let tickets = Mutex<[[UInt8]: Ticket]>([:])

    init() {}

    /// A ticket for one stream of `caller`, which may watch only.
    ///
    /// - Parameter now: milliseconds of a clock that never goes back.
    /// - Throws: ``Problem`` 503 when too many have not been used.
    func mint(for caller: Caller, at now: Int64) throws(Problem) -> String {
        let secret = Secret.mint()
        var watcher = caller
        watcher.scope = .watch
        let ticket = Ticket(caller: watcher, expiresAt: now + Self.seconds * 1000)
        let isKept = tickets.withLock { tickets in
            let own = tickets.values.count { $0.caller.access == caller.access }
            if own >= Self.maximumPerCaller || tickets.count >= Self.maximumTickets {
                tickets = tickets.filter { $0.value.expiresAt > now }
            }
            let rest = tickets.values.count { $0.caller.access == caller.access }
            guard rest < Self.maximumPerCaller, tickets.count < Self.maximumTickets else { return false }
            tickets[Secret.digest(secret)] = ticket
            return true
        }
        guard isKept else { throw .tooMany("stream tickets") }
        return secret
    }

    /// Who a ticket was made for; it is used up by this.
    func use(_ ticket: String, at now: Int64) -> Caller? {
        let found = tickets.withLock { $0.removeValue(forKey: Secret.digest(ticket)) }
        guard let found, found.expiresAt > now else { return nil }
        return found.caller
    }
}
