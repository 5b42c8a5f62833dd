import Foundation
import RalphWire

/// What `suspend-state.json` says (contract 4.4).
struct Suspension: Sendable, Equatable {
    /// The hook that failed; `nil` while the file is being written, and if it says none.
    let hook: String?
    /// Since when the run waits, milliseconds since 1970; likewise.
    let since: Int64?

    /// The name of the hook that our generated configurations add.
    static let gateHook = "pause-gate"

    /// Whether our gate made the run wait, and not a hook of its owner.
    var isByGate: Bool { hook == Self.gateHook }

    init(_ bytes: [UInt8]) {
        // Half-written content says as much as no content.
        let members = (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any]
        hook = members?["hook_name"] as? String
        since = (members?["suspended_at"] as? String).flatMap { Timestamp.parse($0.utf8) }
    }
}
