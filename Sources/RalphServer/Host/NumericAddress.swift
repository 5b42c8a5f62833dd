import Foundation

/// Addresses of the system as text.
enum NumericAddress {
    /// An address without its port (getnameinfo(3)); `nil` for one that is of no network.
    ///
    /// - Parameter size: bytes of the address.
    static func text(of address: UnsafePointer<sockaddr>, size: socklen_t) -> String? {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard getnameinfo(address, size, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
            return nil
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
