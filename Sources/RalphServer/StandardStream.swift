import Foundation
import RalphSessions
import Synchronization

/// Standard output or error, whatever stands behind it: what is closed, full or not read costs the text, and never the
/// program or the time of who wrote it.
package enum StandardStream: Int32, Sendable {
    case output = 1
    case error = 2

    /// Opens what of standard input, output and error is closed, so that no other file gets its number and what is written
    /// to it. To be called before anything else is opened.
    package static func openMissing() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            _ = open("/dev/null", O_RDWR)
        }
    }

    /// Whether a journal keeps what is written here (`JOURNAL_STREAM`, systemd.exec(5)).
    package func isJournal(_ environment: [String: String]) -> Bool {
        guard let status = EntryStatus(descriptor: rawValue) else { return false }
        return environment["JOURNAL_STREAM"] == "\(status.device):\(status.inode)"
    }

    /// Texts that were not taken, or not all of them.
    static let dropped = Atomic(0)

    /// Where it is written: to a pipe or a terminal by a description of our own that never waits, since the flags of the one
    /// that we were given are those of whoever started us. A terminal that takes one more byte is ready, and would keep us
    /// for the rest of a line.
    private static let descriptors = [output, error].map { $0.reopened ?? $0.rawValue }
    private var descriptor: Int32 { Self.descriptors[Int(rawValue) - 1] }

    /// `nil`: it is neither, or the system cannot.
    private var reopened: Int32? {
        guard EntryStatus(descriptor: rawValue)?.kind == .other else { return nil }
        let own = open("/proc/self/fd/\(rawValue)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        return own < 0 ? nil : own
    }

    /// So much goes into a pipe at once when it takes anything (pipe(7), `PIPE_BUF`).
    private static let pieceBytes = 4096
    /// Between two tries, milliseconds.
    private static let pause: Int32 = 10

    /// Writes all of `text`, or counts it as dropped.
    ///
    /// - Parameter patience: how long each piece may wait for a reader, milliseconds.
    /// - Returns: whether all of it was taken.
    @discardableResult
    package func write(_ text: String, patience: Int32 = 0) -> Bool {
        let isTaken = put(text, patience)
        if !isTaken { Self.dropped.wrappingAdd(1, ordering: .relaxed) }
        return isTaken
    }

    private func put(_ text: String, _ patience: Int32) -> Bool {
        var left = Array(text.utf8)[...]
        var wait = patience
        while !left.isEmpty {
            var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let ready = poll(&wanted, 1, patience)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return false }
            let piece = left.prefix(Self.pieceBytes)
            let count = piece.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN, wait > 0 {
                // It was ready for less than that, or somebody else was first.
                wait -= Self.pause
                _ = poll(nil, 0, Self.pause)
                continue
            }
            guard count > 0 else { return false }
            wait = patience
            left = left.dropFirst(count)
        }
        return true
    }
}
