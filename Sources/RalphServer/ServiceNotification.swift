import Foundation

/// Tells the service manager that started us how far we are (sd_notify(3)): one datagram to the socket that
/// `NOTIFY_SOCKET` names. Without a manager nothing happens.
struct ServiceNotification: Sendable {
    /// What can be said; the raw value is the datagram.
    enum State: String, Sendable {
        /// Requests are answered.
        case ready = "READY=1"
        /// The streams are being ended.
        case stopping = "STOPPING=1"
    }

    /// A path, or `@` and a name of the abstract namespace (unix(7)); `nil`: nobody wants to know.
    let socket: String?

    /// Sends `state`; `false` if there was somebody to tell and he could not be told.
    @discardableResult
    func send(_ state: State) -> Bool {
        guard let socket, let (address, length) = Self.address(of: socket) else { return socket == nil }
        #if os(Linux)
        let descriptor = Foundation.socket(
            AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
        let descriptor = Foundation.socket(AF_UNIX, SOCK_DGRAM, 0)
        #endif
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let message = Array(state.rawValue.utf8)
        let sent = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, message, message.count, 0, $0, length)
            }
        }
        return sent == message.count
    }

    /// `nil` for a name that is neither of the two forms, or too long for an address.
    private static func address(of name: String) -> (sockaddr_un, socklen_t)? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        let isAbstract = bytes.first == UInt8(ascii: "@")
        guard isAbstract || bytes.first == UInt8(ascii: "/"),
            bytes.count < MemoryLayout.size(ofValue: address.sun_path)
        else { return nil }
        if isAbstract { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let path = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        return (address, socklen_t(path + bytes.count))
    }
}
