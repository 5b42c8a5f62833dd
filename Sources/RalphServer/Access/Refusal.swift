import RalphWire

/// A request that may not go on.
struct Refusal: Error, Sendable {
    let problem: Problem
    /// Who asked, as far as that was found out; with no right that counts here.
    let caller: Caller
    /// How long the answer is held back, against guessing.
    var delay: Duration = .zero
}
