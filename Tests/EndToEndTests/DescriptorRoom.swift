import Foundation
import RalphServer
import Testing

/// How many connections a test opens that wants very many.
enum DescriptorRoom {
    /// So many of them as the limit on descriptors leaves room for, and 1000 at the least; that there are fewer than
    /// `wanted` is said, and is a failure where the hard limit would let there be as many.
    ///
    /// - Parameter reserved: descriptors that are for other things.
    static func take(_ wanted: Int, beside reserved: Int) throws -> Int {
        let room = DescriptorLimit.raise().now - reserved
        guard room < wanted else { return wanted }
        let count = min(wanted, max(1000, room))
        let hard = try limits(of: "self").last ?? .max
        #expect(hard - reserved < wanted, "\(count) of \(wanted) connections, though \(hard) are allowed")
        print("Only \(count) of \(wanted) connections: the hard limit on descriptors is \(hard).")
        return count
    }

    /// The soft and the hard limit on descriptors of a process, as far as they are numbers (proc(5)).
    ///
    /// - Parameter process: its id, or `self`.
    static func limits(of process: String) throws -> [Int] {
        let limits = try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
        let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max open files") })
        return line.split(separator: " ").compactMap { Int($0) }
    }
}
