/// Why a device cannot be paired or revoked.
enum DeviceProblem: Error, Equatable {
    /// There are ``DeviceBook/maximumDevices`` already.
    case tooMany
    /// The device that made its ticket was revoked.
    case inviterGone
    /// The disk did not take it, and why; nothing has changed.
    case notStored(String)
}
