package import Foundation

extension addrinfo {
    /// Has getaddrinfo(3) look for addresses of TCP alone.
    package static var stream: addrinfo {
        var hints = addrinfo()
        #if os(Linux)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        return hints
    }
}
