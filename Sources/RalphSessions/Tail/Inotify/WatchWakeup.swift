#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Ends a wait for file events from any thread.
///
/// Signals do not add up: any number of them before a wait end that one wait.
package final class WatchWakeup: Sendable {
    /// What a waiting thread polls for reading.
    let readDescriptor: Int32
    private let writeDescriptor: Int32

    package init() throws(WatchError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw WatchError(call: "pipe", code: errno) }
        readDescriptor = ends[0]
        writeDescriptor = ends[1]
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
    }

    /// Ends the wait that is going on, or the next one.
    package func signal() {
        var byte: UInt8 = 1
        // A full pipe wakes the waiting thread just as well.
        _ = write(writeDescriptor, &byte, 1)
    }

    /// Takes back all signals so far.
    func reset() {
        var signals = [UInt8](repeating: 0, count: 512)
        while read(readDescriptor, &signals, signals.count) == signals.count {}
    }

    deinit {
        close(readDescriptor)
        close(writeDescriptor)
    }
}
