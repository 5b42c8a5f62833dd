/// How many requests are answered; further ones get 429 (http-contract 1.1). `nil`: any number.
package struct RequestRates: Sendable, Equatable {
    /// So many a second for long, and so many at once after a quiet time; both at least 1.
    package struct Rate: Sendable, Equatable {
        package var perSecond: Int
        package var burst: Int

        package init(perSecond: Int, burst: Int) {
            self.perSecond = perSecond
            self.burst = burst
        }
    }

    /// Of one address, whoever asks from there.
    package var peer: Rate? = Rate(perSecond: 200, burst: 400)
    /// Of one paired device, wherever it is.
    package var device: Rate? = Rate(perSecond: 100, burst: 200)
    /// Requests that change something, of one device; of one address for those that are no device.
    package var commands: Rate? = Rate(perSecond: 10, burst: 40)

    package init() {}

    /// The rates for `--rate-limit`: so many requests a second of one address, half as many of one device, twice
    /// as many at once; 0: any number. That for commands stays.
    package init(perSecond: Int) {
        guard perSecond > 0 else {
            (peer, device) = (nil, nil)
            return
        }
        let half = max(1, perSecond / 2)
        peer = Rate(perSecond: perSecond, burst: perSecond * 2)
        device = Rate(perSecond: half, burst: half * 2)
    }
}
