import RalphSessions
import Synchronization

/// Who waits for the first look at the roots.
extension Ingest {
    /// Returns when the first look at the roots is over, and the sessions found in it have been read; `false`: the server
    /// ends before, or whoever waits was cancelled.
    func waitForFirstScan() async -> Bool {
        for await _ in scanned.stream {}
        return control.withLock { $0.isFirstScanOver }
    }

    /// Returns with ``waitForFirstScan()``, or when that look takes long, as with very many sessions, or does not come on, as
    /// on a file system that does not answer: whoever asks is to be told so. Then ``SessionCatalogue/isFirstLookLate``.
    func waitToAnswer() async { for await _ in answerable.stream {} }

    /// Keeps nobody waiting for the first look at the roots, which goes on until the service is shut down.
    func giveFirstScanUp() {
        scanned.continuation.finish()
        answerable.continuation.finish()
    }

    func noteFirstScan() {
        control.withLock { control in
            control.isFirstScanOver = true
            control.awaited = []
            catalogue.isFirstLookLate = false
        }
        giveFirstScanUp()
    }

    /// Lets the server listen where the first look at the roots takes too long; everybody else waits for it on.
    func noteLateFirstScan() {
        let isLate = control.withLock { control in
            guard !control.isFirstScanOver else { return false }
            catalogue.isFirstLookLate = true
            return true
        }
        if isLate { answerable.continuation.finish() }
    }
}
