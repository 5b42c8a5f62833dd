extension Caller {
    /// Whether it is the user of this machine, who is not limited: where no key is asked for there is nobody else
    /// on the loopback, and the key of the state directory is this user's.
    var isUnlimited: Bool {
        switch access {
        case .local: true
        case .open: isLocal && scope != nil
        case .key, .device: false
        }
    }
}
