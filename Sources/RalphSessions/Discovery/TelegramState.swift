import Foundation
import RalphWire

/// `telegram-state.json`: whether the run waits for an answer over Telegram (contract 6.5).
package enum TelegramState {
    /// When the question was asked that the primary loop waits for, milliseconds since 1970.
    ///
    /// - Returns: `nil` without such a question or without a readable file.
    /// - Throws: the reason where nobody gives an answer about the file.
    package static func askedAt(_ path: String) throws(SystemCode) -> Int64? {
        guard let bytes = try BoundedFile.readKnown(path, maximumBytes: 1 << 20),
            // Half a file says as much as none: the next look reads all of it.
            let members = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any],
            let pending = members["pending_questions"] as? [String: Any],
            let main = pending["main"] as? [String: Any], let time = main["asked_at"] as? String
        else { return nil }
        return Timestamp.parse(Array(time.utf8))
    }
}
