import Synchronization

/// How often each limit was met since the start; `/metrics` shows them.
final class LimitCounters: Sendable {
    /// Requests of a peer that were too many.
    let peer = Atomic<Int>(0)
    /// Requests of a device that were too many.
    let device = Atomic<Int>(0)
    /// Commands that were too many.
    let commands = Atomic<Int>(0)
    /// Streams of a device or peer that were too many.
    let streams = Atomic<Int>(0)
    /// Wrong keys whose answer was held back.
    let heldGuesses = Atomic<Int>(0)
    /// Requests with a key that was not looked at, since too many wrong ones came from there.
    let refusedGuesses = Atomic<Int>(0)
    /// Requests of a device or peer for which too many bytes of answers wait.
    let answers = Atomic<Int>(0)
    /// Requests of a device or peer of whose bodies too many bytes are in hand.
    let bodies = Atomic<Int>(0)
    /// Connections of a peer that were too many.
    let connections = Atomic<Int>(0)

    init() {}

    /// Each with the word for it.
    var all: [(limit: String, count: Int)] {
        func value(_ counter: borrowing Atomic<Int>) -> Int { counter.load(ordering: .relaxed) }
        return [
            ("peer", value(peer)), ("device", value(device)), ("commands", value(commands)),
            ("streams", value(streams)), ("answers", value(answers)), ("bodies", value(bodies)),
            ("guesses", value(refusedGuesses)),
        ]
    }
}
