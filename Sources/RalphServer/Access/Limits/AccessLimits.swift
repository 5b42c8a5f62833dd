/// What bounds how much anybody may ask for; one of each for the whole server.
struct AccessLimits: Sendable {
    let counters: LimitCounters
    let requests: RequestLimiter
    let guesses: GuessGuard
    let streams: StreamSeats
    let connections: ConnectionSeats
    let answers: ByteDebts
    let bodies: ByteDebts

    init(_ configuration: ServerConfiguration) {
        counters = LimitCounters()
        requests = RequestLimiter(configuration.rates, counters: counters)
        guesses = GuessGuard(counters: counters, isOff: !configuration.slowsGuesses)
        streams = StreamSeats(configuration.streams, counters: counters)
        answers = ByteDebts(.answers, counters: counters)
        bodies = ByteDebts(.bodies, counters: counters)
        connections = ConnectionSeats(
            configuration.http, proxies: configuration.trustedProxies.compactMap(AddressRange.init),
            counters: counters)
    }
}
