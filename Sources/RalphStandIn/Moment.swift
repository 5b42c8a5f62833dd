import Foundation
import Glibc

/// A moment of the wall clock, in the spellings of ralph's files (contract 2.3).
struct Moment {
    private let seconds: Int
    private let nanoseconds: Int

    /// Now.
    init() {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        seconds = time.tv_sec
        nanoseconds = time.tv_nsec
    }

    /// `2026-11-21T03:20:36.901869903+00:00`: rows of events files.
    var offsetText: String { "\(date)T\(time).\(Self.padded(nanoseconds, 9))+00:00" }
    /// `2026-11-21T03:20:36.901869903Z`: the other files.
    var zuluText: String { "\(date)T\(time).\(Self.padded(nanoseconds, 9))Z" }
    /// `20261121-032036`: names of files and loops.
    var stamp: String { "\(date)-\(time)".filter { $0.isNumber || $0 == "-" }.compactStamp }
    /// `2026-11-21 03:20:36 UTC`: headings.
    var heading: String { "\(date) \(time) UTC" }

    /// `2026-11-21`.
    var day: String { date }

    /// That many days before now.
    init(daysAgo days: Int) {
        let now = Moment()
        seconds = now.seconds - days * 86_400
        nanoseconds = now.nanoseconds
    }

    /// `<prefix>-<seconds>-<4 hexadecimal digits>` of the microsecond.
    func identifier(_ prefix: String) -> String {
        let digits = String(nanoseconds / 1000 % 0x10000, radix: 16)
        return "\(prefix)-\(seconds)-" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }

    /// Since 1970.
    var milliseconds: Int { seconds * 1000 + nanoseconds / 1_000_000 }
    /// Since 1970.
    var microseconds: Int { seconds * 1_000_000 + nanoseconds / 1000 }

    private var parts: tm {
        var result = tm()
        var value = seconds
        gmtime_r(&value, &result)
        return result
    }

    private var date: String {
        let parts = parts
        return "\(Self.padded(Int(parts.tm_year) + 1900, 4))-\(Self.padded(Int(parts.tm_mon) + 1, 2))"
            + "-\(Self.padded(Int(parts.tm_mday), 2))"
    }

    private var time: String {
        let parts = parts
        return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Self.padded(Int($0), 2) }
            .joined(separator: ":")
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    /// Waits without taking part in anything else.
    static func pause(milliseconds: Int) { usleep(UInt32(milliseconds) * 1000) }

    /// Milliseconds of a clock that never jumps.
    static var monotonicMilliseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}

extension String {
    /// `2026-11-21-032036` as `20261121-032036`.
    fileprivate var compactStamp: String {
        let digits = filter(\.isNumber)
        return digits.prefix(8) + "-" + digits.dropFirst(8)
    }
}
