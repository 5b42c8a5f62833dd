import Foundation
import Logging
import RalphFeed
import RalphWire
import Synchronization

/// A listening TCP socket and the thread that accepts from it.
///
/// Accepting is ours, and not the bootstrap's, so that a stream knows its socket and can write to it without a
/// channel in between (design 10).
final class ListeningSocket: Sendable {
    /// Further connections wait in the kernel up to this many, or as many as it allows (`listen(2)`).
    private static let backlog: Int32 = 4096

    private let descriptor: Int32
    private let state = Mutex(State())
    /// The port bound, the real one if 0 was asked for.
    let port: Int
    /// The address bound, whatever name was asked for; `nil` where the system does not tell.
    var address: String? {
        state.withLock { $0.isClosed ? nil : Self.address(of: descriptor, getsockname) }
    }

    /// The descriptor is this socket's until it is closed and nobody accepts from it.
    private struct State {
        var isClosed = false
        var isAccepting = false
    }

    /// Binds to the first address of `host` that can be bound.
    ///
    /// - Throws: ``ListenError`` with the reason in words, such as `Address already in use`.
    init(host: String, port: Int) throws(ListenError) {
        descriptor = try Self.bound(host: host, port: port, isListening: true)
        self.port = Self.port(of: descriptor) ?? port
    }

    /// Why a server could not listen there; `nil`: it could. Nothing listens, not even for a moment.
    static func problem(host: String, port: Int) -> String? {
        do {
            _ = closeDescriptor(try bound(host: host, port: port, isListening: false))
            return nil
        } catch {
            return error.reason
        }
    }

    private static func bound(host: String, port: Int, isListening: Bool) throws(ListenError) -> Int32 {
        var hints = addrinfo.stream
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        // Which of its addresses comes first is another thing on each machine; tools look for this one.
        if host == "localhost" { hints.ai_family = AF_INET }
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let first = found else {
            throw ListenError(host: host, port: port, errnoCode: EADDRNOTAVAIL)
        }
        defer { freeaddrinfo(found) }
        var code = EADDRNOTAVAIL
        var candidate: UnsafeMutablePointer<addrinfo>? = first
        while let address = candidate?.pointee {
            switch bind(address, isListening: isListening) {
            case .success(let descriptor): return descriptor
            case .failure(let error): code = error.code
            }
            candidate = address.ai_next
        }
        throw ListenError(host: host, port: port, errnoCode: code)
    }

    /// Hands accepted sockets to `take` until ``close()``; on a thread of its own.
    ///
    /// - Throws: ``ThreadError`` without one; the socket is to be closed then.
    func accept(logger: Logger, _ take: @escaping @Sendable (Int32) -> Void) throws(ThreadError) {
        state.withLock { $0.isAccepting = true }
        do {
            try NamedThread.start("accept") { [self] in
                acceptAll(logger: logger, take)
                endAccepting()
            }
        } catch {
            endAccepting()
            throw error
        }
    }

    private func acceptAll(logger: Logger, _ take: (Int32) -> Void) {
        var problem: Int32 = 0
        while !isClosed {
            let accepted = acceptOne()
            if accepted >= 0 {
                problem = 0
                take(accepted)
                continue
            }
            let code = errno
            if ![EINTR, ECONNABORTED, EAGAIN].contains(code), !isClosed {
                // Out of descriptors or memory: the connections wait in the kernel meanwhile.
                if code != problem {
                    logger.warning("Connections cannot be accepted", metadata: ["errno": "\(code)"])
                }
                problem = code
                Thread.sleep(forTimeInterval: 0.05)
            }
        }
    }

    /// Accepts no more; the thread ends, and closes the socket.
    func close() {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.isClosed = true
            if state.isAccepting {
                _ = shutdown(descriptor, Int32(SHUT_RDWR))
            } else {
                _ = Self.closeDescriptor(descriptor)
            }
        }
    }

    private func endAccepting() {
        state.withLock { state in
            state.isAccepting = false
            if state.isClosed { _ = Self.closeDescriptor(descriptor) }
        }
    }

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    private func acceptOne() -> Int32 {
        let accepted = Foundation.accept(descriptor, nil, nil)
        if accepted >= 0 { _ = fcntl(accepted, F_SETFD, FD_CLOEXEC) }
        return accepted
    }

    private struct Failure: Error {
        let code: Int32
    }

    private static func bind(_ address: addrinfo, isListening: Bool) -> Result<Int32, Failure> {
        let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
        guard descriptor >= 0 else { return .failure(Failure(code: errno)) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var isOn: Int32 = 1
        _ = setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
        if address.ai_family == AF_INET6 {
            // All addresses are those of IPv4, too, whatever the system's default is (net.ipv6.bindv6only, ipv6(7)).
            var isOff: Int32 = 0
            _ = setsockopt(
                descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &isOff, socklen_t(MemoryLayout<Int32>.size))
        }
        guard Foundation.bind(descriptor, address.ai_addr, address.ai_addrlen) == 0,
            !isListening || listen(descriptor, backlog) == 0
        else {
            let failure = Failure(code: errno)
            _ = closeDescriptor(descriptor)
            return .failure(failure)
        }
        return .success(descriptor)
    }

    /// The address at the other end, without its port; `nil` where the system does not tell.
    static func peer(of descriptor: Int32) -> String? { address(of: descriptor, getpeername) }

    private static func address(
        of descriptor: Int32,
        _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> String? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard ask(descriptor, address, &length) == 0 else { return nil }
                return NumericAddress.text(of: address, size: length)
            }
        }
    }

    private static func port(of descriptor: Int32) -> Int? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { return nil }
        // `sin_port` and `sin6_port` stand at the same place.
        return withUnsafeBytes(of: storage) { Int($0[2]) << 8 | Int($0[3]) }
    }

    private static func closeDescriptor(_ descriptor: Int32) -> Int32 { Foundation.close(descriptor) }
}
