/// What may be wrong with a run that is alive, as its events alone tell; its event is `sentinel.` and the raw
/// value. None of these words makes the app take the event for something else (http-contract 4.3).
package enum Sentinel: String, Sendable, CaseIterable {
    /// No event for long.
    case stalled
    /// One topic over and over.
    case repeating
    /// Evidence that is not accepted, over and over.
    case gatesFailing = "gates_failing"
    /// Many tokens a minute.
    case burning
}
