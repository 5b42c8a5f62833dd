import Foundation
import Glibc
import Synchronization

/// Something on the loopback that a client may meet instead of a server, or in front of one.
final class MisbehavingPeer: Sendable {
    /// What it does with a connection.
    enum Behavior: Sendable {
        /// Sends these bytes behind each request and closes.
        case answers(String)
        /// Takes connections and says nothing.
        case silent
        /// Passes requests on to a port of this machine; of streams no byte behind the head.
        case holdsBack(port: Int)
        /// Passes requests on, and closes a connection that was quiet for so many milliseconds.
        case cuts(port: Int, milliseconds: Int32)
    }

    let port: Int
    private let listener: Int32
    private let behavior: Behavior
    private let open = Mutex<[Int32]>([])

    init(_ behavior: Behavior) throws {
        self.behavior = behavior
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard bound else { throw POSIXError(.EADDRNOTAVAIL) }
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        let thread = Thread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                open.withLock { $0.append(client) }
                Thread { [behavior] in Self.serve(client, behavior) }.start()
            }
        }
        thread.start()
    }

    /// Listens no more and ends every connection.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        for client in open.withLock({ $0 }) { shutdown(client, Int32(SHUT_RDWR)) }
    }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return address
    }

    private static func serve(_ client: Int32, _ behavior: Behavior) {
        let request = head(of: client)
        switch behavior {
        case .silent: return
        case .answers(let text): send(client, Array(text.utf8))
        case .holdsBack(let port): relay(client, request, to: port, holdsBack: true, quiet: 60_000)
        case .cuts(let port, let quiet): relay(client, request, to: port, holdsBack: false, quiet: quiet)
        }
        shutdown(client, Int32(SHUT_RDWR))
    }

    private static func relay(
        _ client: Int32, _ request: [UInt8], to port: Int, holdsBack: Bool, quiet: Int32
    ) {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(server) }
        var address = loopback(port)
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard connected, !request.isEmpty else { return }
        send(server, request)
        let isStream = holdsBack && String(decoding: request, as: UTF8.self).contains("/api/events")
        if isStream { send(client, head(of: server)) }
        while true {
            var waiting = pollfd(fd: server, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, quiet) > 0 else { return }
            let bytes = receive(server, 4096)
            if bytes.isEmpty { return }
            if !isStream { send(client, bytes) }
        }
    }

    /// Everything up to the empty line behind a head.
    private static func head(of descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            let next = receive(descriptor, 1)
            if next.isEmpty { return bytes }
            bytes += next
        }
        return bytes
    }

    private static func receive(_ descriptor: Int32, _ count: Int) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        let read = recv(descriptor, &buffer, count, 0)
        return Array(buffer.prefix(max(0, read)))
    }

    private static func send(_ descriptor: Int32, _ bytes: [UInt8]) {
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
