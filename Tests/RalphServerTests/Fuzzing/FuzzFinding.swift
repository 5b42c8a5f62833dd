/// An input made a parser break a promise.
struct FuzzFinding: Error {
    /// What was promised, and what came instead.
    let text: String
}

/// Goes on if `isKept`; else the promise `text` is broken.
func promise(_ isKept: Bool, _ text: @autoclosure () -> String) throws(FuzzFinding) {
    guard isKept else { throw FuzzFinding(text: text()) }
}
