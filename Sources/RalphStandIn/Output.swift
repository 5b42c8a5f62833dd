import Foundation
import Glibc

/// Standard output and standard error, unbuffered, so that a kill loses nothing that was said.
enum Output {
    /// Writes a line to standard output. A reader that has gone away ends the program with status 1, without a
    /// `loop.terminate` (contract, checked facts).
    static func line(_ text: String) { raw(Array((text + "\n").utf8)) }

    /// Writes `bytes` to standard output as ``line(_:)`` does.
    static func raw(_ bytes: [UInt8]) {
        if !write(bytes, to: 1), errno == EPIPE { exit(1) }
    }

    /// Writes one line of the `--rpc` stream, which survives a reader that has gone away (contract 4.7).
    static func record(_ value: JSONValue) { _ = write(Array((value.compact + "\n").utf8), to: 1) }

    /// Writes a line to standard error.
    static func note(_ text: String) { _ = write(Array((text + "\n").utf8), to: 2) }

    /// Writes all of `bytes`; `false` with `errno` set when that is not possible.
    @discardableResult
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                return false
            }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
