import Foundation

/// Two connected sockets, of which ours does not block.
final class SocketPair {
    let ours: Int32
    private var theirs: Int32

    init() throws {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0,
            fcntl(pair[0], F_SETFL, O_NONBLOCK) == 0
        else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        (ours, theirs) = (pair[0], pair[1])
    }

    deinit {
        close(ours)
        closeTheirs()
    }

    func closeTheirs() {
        if theirs >= 0 { close(theirs) }
        theirs = -1
    }

    /// Writes until nothing more is taken.
    func fill() {
        let bytes = [UInt8](repeating: 0, count: 4096)
        while write(ours, bytes, bytes.count) > 0 {}
        while write(ours, bytes, 1) > 0 {}
    }

    /// Everything that lies there.
    func read() -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(theirs, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }
}
