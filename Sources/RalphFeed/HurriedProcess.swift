import CRalphThreads

/// A process that is to be over soon.
package enum HurriedProcess {
    /// Has all threads of this process wait less for the processor (sched_setattr(2), Linux 6.12 and newer; nothing elsewhere).
    ///
    /// An end is a chain of short steps on many threads. Where others take all processors, each step waits for as many slices
    /// as there are others.
    package static func begin() { ralph_hurry_process() }
}
