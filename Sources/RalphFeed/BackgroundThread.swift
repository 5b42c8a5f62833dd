import CRalphThreads
import Logging

/// A thread whose work can wait: whoever reads and sends goes first.
enum BackgroundThread {
    /// Makes the calling thread one.
    ///
    /// - Parameter niceness: 1 ... 19; how little its work is worth while others want the processor, too.
    static func enter(niceness: Int32, logger: Logger) {
        let code = ralph_enter_background(niceness)
        guard code != 0 else { return }
        // It works all the same, only less considerately.
        logger.debug("A background thread keeps its priority", metadata: ["errno": "\(code)"])
    }
}
