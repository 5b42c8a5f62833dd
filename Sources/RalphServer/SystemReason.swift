import Foundation
import RalphSessions

/// Why the system refused something.
enum SystemReason {
    /// For the end of a sentence, with its full stop, of a file of JSON that could not be read.
    static func sentence(_ error: any Error) -> String {
        if error is DecodingError { return "it is no JSON, or not of the right shape." }
        let text = text(error) ?? error.localizedDescription
        return text.hasSuffix(".") ? text : text + "."
    }

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
