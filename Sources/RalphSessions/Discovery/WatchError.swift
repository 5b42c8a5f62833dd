import Foundation

/// Watching for sessions cannot start.
package struct WatchError: Error, Equatable, CustomStringConvertible {
    /// The system call that failed.
    package let call: String
    /// Its errno.
    package let code: Int32

    package var description: String {
        "Cannot watch for file changes: \(call): \(Self.sentence(code)). "
            + "Usually too many descriptors are open: raise the limit (ulimit -n) and start again."
    }

    /// The system's words for an errno.
    package static func sentence(_ code: Int32) -> String { String(cString: strerror(code)) }
}
