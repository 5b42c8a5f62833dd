import NIOCore

/// The clock of limits: it never goes back, whatever becomes of the time of day.
enum UptimeClock {
    static func nanoseconds() -> Int64 { Int64(clamping: NIODeadline.now().uptimeNanoseconds) }

    static func milliseconds() -> Int64 { nanoseconds() / 1_000_000 }
}
