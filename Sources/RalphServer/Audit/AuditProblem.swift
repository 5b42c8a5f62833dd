import Foundation

/// The audit log could not be written or read; the same may be tried again.
struct AuditProblem: Error, Sendable, Equatable, CustomStringConvertible {
    let path: String
    /// Of the system, errno(3).
    let code: Int32

    var description: String { "\(path): \(String(cString: strerror(code)))" }
}
