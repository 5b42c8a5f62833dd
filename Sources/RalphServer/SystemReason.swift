import Foundation
import RalphSessions

/// Why the system refused something.
enum SystemReason {
    /// In the system's words; `nil`: no call of the system failed.
    static func text(_ error: any Error) -> String? {
        var cause: NSError? = error as NSError
        while let error = cause {
            if error.domain == NSPOSIXErrorDomain { return SystemCode(Int32(error.code)).description }
            cause = (error.userInfo[NSUnderlyingErrorKey] as? any Error).map { $0 as NSError }
        }
        return nil
    }
}
