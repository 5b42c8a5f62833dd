import Glibc

/// The commands that come on the standard input of a `--rpc` run, one JSON object per line.
struct StreamInput {
    /// Whether more may come.
    private(set) var isOpen: Bool
    private var buffer: [UInt8] = []

    /// Standard input if `isOpen`, else nothing.
    init(isOpen: Bool) {
        self.isOpen = isOpen
        if isOpen { _ = fcntl(0, F_SETFL, fcntl(0, F_GETFL) | O_NONBLOCK) }
    }

    /// The lines that have come; never waits.
    mutating func lines() -> [String] {
        guard isOpen else { return [] }
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(0, &bytes, bytes.count)
            if count > 0 {
                buffer += bytes.prefix(count)
            } else {
                isOpen = count < 0 && (errno == EAGAIN || errno == EINTR)
                break
            }
        }
        var lines: [String] = []
        while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(String(decoding: buffer[..<end], as: UTF8.self))
            buffer.removeSubrange(...end)
        }
        return lines.filter { !$0.allSatisfy(\.isWhitespace) }
    }

    /// Waits until the other side closes it (contract 4.8: a finished run lives on until then).
    mutating func waitForEnd(_ received: ([String]) -> Void) {
        while isOpen {
            var one = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
            poll(&one, 1, 100)
            received(lines())
        }
    }
}
