import CRalphThreads
import Foundation

/// A thread that bears its name in the kernel, where `top -H` shows it.
package enum NamedThread {
    /// As much as Linux gives where nobody sets a limit.
    private static let stackBytes = 8 << 20

    /// Has all threads of the process that begin from now on have stacks of 8 MiB at least (Linux with the C library of GNU;
    /// nothing elsewhere).
    package static func ensureStacks() { _ = ralph_ensure_stacks(stackBytes) }

    /// Does `work` on a thread of its own.
    ///
    /// - Parameters:
    ///   - name: at most 15 bytes (pthread_setname_np(3)).
    ///   - isUrgent: somebody waits for what it does.
    /// - Throws: ``ThreadError`` where the system takes no more threads.
    package static func start(
        _ name: String, isUrgent: Bool = false, _ work: @escaping @Sendable () -> Void
    ) throws(ThreadError) {
        let order = Unmanaged.passRetained(Order(name, work))
        let code = ralph_start_thread(
            isUrgent ? 1 : 0,
            { context in
                guard let context else { return nil }
                let order = Unmanaged<Order>.fromOpaque(context).takeRetainedValue()
                ralph_name_thread(order.name)
                order.work()
                return nil
            }, order.toOpaque())
        guard code != 0 else { return }
        order.release()
        throw ThreadError(name: name, code: code)
    }

    /// What the new thread is to do.
    private final class Order {
        let name: String
        let work: @Sendable () -> Void

        init(_ name: String, _ work: @escaping @Sendable () -> Void) {
            self.name = name
            self.work = work
        }
    }
}

/// A thread that the server cannot do without could not be started.
package struct ThreadError: Error, Sendable, Equatable, CustomStringConvertible {
    package let name: String
    /// An errno: `EAGAIN` where the user, the control group or the address space has its limit.
    package let code: Int32

    /// As part of a sentence.
    var reason: String {
        "the thread \(name) cannot be started, \(String(cString: strerror(code))); "
            + "raise the limits of threads and memory"
    }

    package var description: String { "The server cannot work: \(reason)." }
}
