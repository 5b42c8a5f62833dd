import RalphWire

/// Whose requests and answers are counted together. A device is counted by itself, and who has the key apart from who
/// has nothing: a flood of somebody without any right must not use up what others have behind the same address.
enum RequestSource: Hashable {
    case device(DeviceID)
    case known(PeerNetwork)
    case stranger(PeerNetwork)

    /// - Parameter network: where `caller` is.
    init(_ caller: Caller, _ network: PeerNetwork) {
        self =
            caller.device.map(RequestSource.device)
            ?? (caller.scope == nil ? .stranger(network) : .known(network))
    }
}
