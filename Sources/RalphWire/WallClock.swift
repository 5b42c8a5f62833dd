import Foundation

/// The wall clock, for what is shown and stored; deadlines use monotonic clocks.
package enum WallClock {
    /// Milliseconds since 1970.
    package static func milliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Milliseconds for which the machine slept since it was started, by which monotonic clocks of programs are behind
    /// (clock_gettime(2)); 0 where the system does not tell.
    package static func sleptMilliseconds() -> Int64 {
        #if os(Linux)
        var (all, awake) = (timespec(), timespec())
        clock_gettime(CLOCK_BOOTTIME, &all)
        clock_gettime(CLOCK_MONOTONIC, &awake)
        return Int64(all.tv_sec - awake.tv_sec) * 1000 + Int64(all.tv_nsec - awake.tv_nsec) / 1_000_000
        #else
        return 0
        #endif
    }
}
