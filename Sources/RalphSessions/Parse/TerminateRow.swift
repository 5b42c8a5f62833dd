/// The row with which Ralph ends a run's events.
package enum TerminateRow {
    private static let maximumReasonLength = 64

    /// The first line behind `## Reason` in a payload (contract 2.6), at most 64 characters; `unknown` without one.
    package static func reason(in payload: String) -> String {
        var isBehindHeading = false
        for line in payload.utf8.split(whereSeparator: {
            $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r")
        }) {
            if isBehindHeading {
                let reason = SessionDirectory.trimmed(String(Substring(line)))
                if !reason.isEmpty { return String(reason.prefix(maximumReasonLength)) }
            } else {
                isBehindHeading = line.lazy.filter { $0 != UInt8(ascii: " ") }.elementsEqual("##Reason".utf8)
            }
        }
        return "unknown"
    }

    /// What a run is that ended for `reason` (contract 2.6), as the client's word (http-contract 3.1): `completed`,
    /// `stopped` where somebody ended it, else `error`.
    package static func status(ofReason reason: String) -> String {
        switch reason {
        case "completed", "max_iterations", "max_runtime", "max_cost": "completed"
        case "stopped", "interrupted", "cancelled", "restart_requested", "workspace_gone": "stopped"
        default: "error"
        }
    }
}
