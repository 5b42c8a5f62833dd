import RalphFeed

/// The room that threads have for what is recursive; what anybody may write is bounded by it, such as YAML by its depth.
package enum ThreadStacks {
    /// Has threads that begin from now on have room enough, whatever limit the process has (setrlimit(2), `RLIMIT_STACK`).
    package static func ensure() { NamedThread.ensureStacks() }
}
