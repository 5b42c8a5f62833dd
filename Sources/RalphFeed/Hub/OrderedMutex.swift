import Synchronization

/// A `Mutex` whose hand-over the thread sanitizer can see.
///
/// Where two threads meet, `Mutex` waits in the kernel (FUTEX_LOCK_PI, futex(2)), and the order that this makes is
/// invisible to the sanitizer, which then reports what the mutex guards as a race. The two atomic accesses
/// say the same once more, in a way that it knows; they cost about a nanosecond.
struct OrderedMutex<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>
    private let handOver = Atomic(false)

    init(_ value: consuming sending Value) { mutex = Mutex(value) }

    /// Runs `body` while no other thread does, see `Mutex.withLock(_:)`.
    func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { value throws(Failure) in
            _ = handOver.load(ordering: .acquiring)
            defer { handOver.store(true, ordering: .releasing) }
            return try body(&value)
        }
    }
}
