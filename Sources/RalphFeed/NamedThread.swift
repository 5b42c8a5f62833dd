import CRalphThreads
import Foundation

/// A thread that bears its name in the kernel, where `top -H` shows it.
package enum NamedThread {
    /// Does `work` on a thread of its own.
    ///
    /// - Parameters:
    ///   - name: at most 15 bytes (pthread_setname_np(3)).
    ///   - isUrgent: somebody waits for what it does.
    package static func start(
        _ name: String, isUrgent: Bool = false, _ work: @escaping @Sendable () -> Void
    ) {
        let thread = Thread {
            // `Thread.name` is lost where the thread sets it before whoever starts it knows it.
            ralph_name_thread(name)
            work()
        }
        if isUrgent { thread.qualityOfService = .userInteractive }
        thread.start()
    }
}
