import RalphWire

extension Problem {
    static let deviceNotFound = Problem(status: 404, error: "device_not_found", code: .notFound)

    /// For a caller that is no device but asks for itself.
    static let noDevice = Problem(
        status: 404, error: "device_not_found", code: .notFound,
        details: "This request bears no device's token.")

    /// The device counts no more, but may again after a restart.
    init(revoking problem: DeviceProblem) {
        self.init(problem)
        guard case .notStored = problem else { return }
        details =
            "The device is shut out and its streams have ended, but that is not on disk: it is tried each second,"
            + " and a restart of the server before it works lets the device in."
    }

    init(_ problem: DeviceProblem) {
        switch problem {
        case .tooMany:
            self.init(
                status: 409, error: "too_many_devices", code: .conflict,
                details: "\(DeviceBook.maximumDevices) devices are paired; revoke one first.")
        case .inviterGone: self = .invalidTicket
        case .notStored:
            self.init(
                status: 503, error: "device_not_stored", code: .unavailable,
                details: "The list of devices cannot be written; nothing was changed.", retryAfter: 5)
        }
    }
}
