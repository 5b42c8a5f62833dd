import NIOCore
import RalphWire

/// The clocks of limits: they never go back, whatever becomes of the time of day.
enum UptimeClock {
    private static let begin = ContinuousClock.now

    /// Stands still while the machine sleeps; as cheap as a clock can be.
    static func nanoseconds() -> Int64 { Int64(clamping: NIODeadline.now().uptimeNanoseconds) }

    /// Goes on while the machine sleeps: for what must be over by a time that a person was told.
    static func milliseconds() -> Int64 { (ContinuousClock.now - begin).milliseconds }
}
