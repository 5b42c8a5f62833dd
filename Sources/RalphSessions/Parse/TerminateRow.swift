/// The row with which Ralph ends a run's events.
package enum TerminateRow {
    private static let maximumReasonLength = 64
    /// What is behind them is no reason.
    private static let maximumBytes = 8192
    private static let unknown = "unknown"

    /// The first line behind `## Reason` in a payload (contract 2.6), at most 64 characters; `unknown` without one.
    package static func reason(in payload: String) -> String {
        var isBehindHeading = false
        for line in payload.utf8.prefix(maximumBytes).split(whereSeparator: {
            $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r")
        }) {
            if isBehindHeading {
                let reason = SessionDirectory.trimmed(String(Substring(line)))
                if !reason.isEmpty { return String(reason.prefix(maximumReasonLength)) }
            } else {
                isBehindHeading = line.lazy.filter { $0 != UInt8(ascii: " ") }.elementsEqual("##Reason".utf8)
            }
        }
        return unknown
    }

    /// Whether a row of this topic ends a run. Ralph's own says so as the loop; one that was appended for a run that was
    /// killed has Ralph's words (contract 4.5). Any other is an agent's, whom Ralph does not obey, and the run goes on.
    ///
    /// - Parameters:
    ///   - isOfLoop: whether its hat is `loop`.
    ///   - isOfUser: whether it was appended for a person.
    package static func ends(isOfLoop: Bool, isOfUser: Bool, payload: String?) -> Bool {
        isOfLoop || !isOfUser && payload.map(reason(in:)).map { $0 != unknown } == true
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
