import RalphSessions
import RalphWire

/// The paired devices.
struct DeviceCheckup: FileCheckup {
    let subject = "devices"
    let state: StateDirectory

    func look() -> [Finding] {
        guard EntryStatus(at: state.devices) != nil else { return [.ok(subject, "none is paired")] }
        do {
            let devices = try DeviceBook(path: state.devices).all
            return [Self.judge(devices.map(\.scope))]
        } catch {
            return [.fail(subject, error.description, "Nobody is let in with a token until then.")]
        }
    }

    /// What the devices may do.
    static func judge(_ scopes: [Scope]) -> Finding {
        guard !scopes.isEmpty else { return .ok("devices", "none is paired") }
        let parts = Scope.allCases.compactMap { scope -> String? in
            let count = scopes.count { $0 == scope }
            return count == 0 ? nil : "\(count) may \(scope.rawValue)"
        }
        return .ok("devices", "\(scopes.count) paired: " + parts.joined(separator: ", "))
    }
}
