import NIOHTTP1
import RalphWire

/// Who may ask for what: where a request comes from, what it offers, and what its route needs (design 8). The
/// one place that decides it; no route looks at a credential.
struct AccessGate: Sendable {
    /// What the settings say.
    struct Settings: Sendable {
        /// `nil`: there is none.
        var key: String?
        /// Nobody is asked for anything (`--no-auth`).
        var isOpenToAll = false
        /// `?api_key=` counts (`--allow-query-key`).
        var allowsQueryKey = false
        var allowedHosts: [String] = []
        var trustedProxies: [AddressRange] = []
        var crossOrigin = CrossOriginPolicy()
    }

    private let settings: Settings
    private let keyDigest: [UInt8]?
    private let localDigest: [UInt8]
    private let hosts: HostRule
    private let origins: OriginRule
    private let rights: RouteRights
    private let devices: DeviceBook
    private let tickets: StreamTickets
    private let guesses: GuessGuard

    /// - Parameters:
    ///   - localKey: what tools of the same user on this machine show.
    ///   - table: all routes; says what each needs.
    init(
        _ settings: Settings, localKey: String, table: RouteTable, devices: DeviceBook,
        tickets: StreamTickets, guesses: GuessGuard
    ) {
        self.settings = settings
        keyDigest = settings.key.map(Secret.digest)
        localDigest = Secret.digest(localKey)
        hosts = HostRule(declared: settings.allowedHosts)
        origins = OriginRule(hosts: hosts, crossOrigin: settings.crossOrigin)
        rights = RouteRights(table)
        self.devices = devices
        self.tickets = tickets
        self.guesses = guesses
    }

    /// Decides about one request. Uses up a stream ticket, so it is asked once for each request.
    func admit(_ request: AccessRequest) -> Result<Caller, Refusal> {
        let peer = request.peer.behindProxies(request.headers, trusted: settings.trustedProxies)
        let stranger = Caller(peer: peer.text, access: .open, scope: nil, isLocal: peer.isLocal)
        func refuse(_ problem: Problem, _ caller: Caller) -> Result<Caller, Refusal> {
            .failure(Refusal(problem: problem, caller: caller))
        }
        if let host = request.headers.first(name: "host"), !hosts.answers(for: host) {
            return refuse(.misdirected(host), stranger)
        }
        guard origins.allows(request.method, request.headers) else {
            return refuse(.forbiddenOrigin, stranger)
        }
        // Whose key its address has is not looked at: nobody is to guess by it.
        if isQuestion(request) { return .success(stranger) }
        let needed = needed(request)
        let ticket = ticket(of: request)
        let identity = identity(request, ticket, peer)
        if case .unseen = identity { return refuse(.tooManyGuesses, stranger) }
        guard case .known(let caller) = identity else {
            // A wrong key is told even where none is needed (http-contract 2).
            if needed == nil, !hasOffer(request) { return .success(stranger) }
            guard ticket != nil || hasOffer(request) else { return refuse(.unauthorized, stranger) }
            switch guesses.note(network(of: peer), at: UptimeClock.nanoseconds()) {
            case .atOnce: return refuse(.unauthorized, stranger)
            case .held(let delay):
                return .failure(Refusal(problem: .unauthorized, caller: stranger, delay: delay))
            case .refused: return refuse(.tooManyGuesses, stranger)
            }
        }
        if let needed, caller.scope.map({ $0 < needed }) ?? true {
            return refuse(.insufficientScope(needed), caller)
        }
        return .success(caller)
    }

    /// Whether a request asks for a change of something that needs more than watching.
    func isCommand(_ method: HTTPMethod, route: Int) -> Bool {
        guard ![.GET, .HEAD, .OPTIONS].contains(method) else { return false }
        return rights.scope(method, route: route).map { $0 > .watch } ?? false
    }

    /// Whether there is anything but a ticket by which it wants to be let in.
    private func hasOffer(_ request: AccessRequest) -> Bool {
        Credential(request.headers) != nil
            || settings.allowsQueryKey && Credential(query: request.path.query) != nil
    }

    /// Whether it is a browser's question what a page may send, which bears no key (Fetch, "CORS-preflight"), but perhaps
    /// the address that has one.
    private func isQuestion(_ request: AccessRequest) -> Bool {
        request.method == .OPTIONS && CrossOriginPolicy.isPreflight(request.headers)
            && Credential(request.headers) == nil
    }

    /// What the route needs.
    private func needed(_ request: AccessRequest) -> Scope? {
        if request.method == .OPTIONS, CrossOriginPolicy.isPreflight(request.headers) { return nil }
        return rights.scope(request.method, route: request.route)
    }

    /// Who a request comes from.
    private enum Identity {
        case known(Caller)
        /// Nobody that we know.
        case unknown
        /// Too many wrong keys come from there, so that this one was not looked at.
        case unseen

        init(_ caller: Caller?) { self = caller.map(Identity.known) ?? .unknown }
    }

    private func identity(_ request: AccessRequest, _ ticket: String?, _ peer: Peer) -> Identity {
        let isOpen = settings.isOpenToAll || settings.key == nil && peer.isLocal
        let open = isOpen ? Caller(peer: peer.text, access: .open, isLocal: peer.isLocal) : nil
        if let ticket { return Identity(watcher(with: ticket, peer)) }
        let query = settings.allowsQueryKey ? Credential(query: request.path.query) : nil
        switch Credential(request.headers) ?? query {
        case nil: return Identity(open)
        case .token(let token):
            guard let device = devices.device(for: token) else { return .unknown }
            devices.noteSeen(device.id, from: peer.text, at: WallClock.milliseconds())
            return .known(
                Caller(
                    peer: peer.text, access: .device(device.id), scope: device.scope, isLocal: peer.isLocal))
        case .key(let key):
            if peer.isLocal, Secret.isEqual(key, localDigest) {
                return .known(Caller(peer: peer.text, access: .local, isLocal: true))
            }
            // Where no key is asked for, any is passed over (http-contract 2).
            if isOpen { return Identity(open) }
            // While too many wrong ones come from there, none is looked at; tokens, above, are found by digest.
            let now = UptimeClock.nanoseconds()
            guard !guesses.isExhausted(network(of: peer), isLocal: peer.isLocal, at: now) else {
                return .unseen
            }
            guard let keyDigest, Secret.isEqual(key, keyDigest) else { return .unknown }
            return .known(Caller(peer: peer.text, access: .key, isLocal: peer.isLocal))
        }
    }

    /// Where guesses are counted: those of this machine apart from those that a tunnel on it passes on.
    private func network(of peer: Peer) -> PeerNetwork { peer.isLocal ? PeerNetwork("local") : peer.network }

    /// Who a stream ticket was made for, if that one may still watch.
    private func watcher(with ticket: String, _ peer: Peer) -> Caller? {
        guard var caller = tickets.use(ticket, at: UptimeClock.milliseconds()) else { return nil }
        if let device = caller.device, devices.device(device) == nil { return nil }
        // What counts on this machine only buys nothing elsewhere: the local key, and being here where there is no key.
        let isBoundHere = caller.access == .local || caller.access == .open && !settings.isOpenToAll
        if isBoundHere, !peer.isLocal { return nil }
        caller.peer = peer.text
        caller.isLocal = peer.isLocal
        return caller
    }

    /// Whether somebody who was let in still would be: a request may take its time until its last byte is
    /// there, and a device may be revoked meanwhile.
    func stillKnows(_ caller: Caller) -> Bool {
        devices.knows(caller.device)
    }

    /// The stream ticket that a request bears, if it asks for a stream: a page of history is none.
    private func ticket(of request: AccessRequest) -> String? {
        guard [.GET, .HEAD].contains(request.method), let query = request.path.query,
            query.contains("ticket="), StreamRoutes.isStream(request.path, request.headers)
        else { return nil }
        // A query that cannot be read has no ticket; the stream says what is wrong with it.
        return (try? QueryItems(query))?["ticket"]
    }
}
