import Foundation

/// The wall clock, for what is shown and stored; deadlines use monotonic clocks.
package enum WallClock {
    /// Milliseconds since 1970.
    package static func milliseconds() -> Int64 {
        Int64((Date().timeIntervalSince1970 * 1000).rounded(.down))
    }
}
