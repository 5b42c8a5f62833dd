/// What is remembered of somebody, and says nothing any more after a while.
protocol Fading: Sendable {
    /// Says nothing yet.
    init()

    /// Whether it is worth no more than a new one.
    ///
    /// - Parameter now: nanoseconds of a clock that never goes back.
    func hasFaded(at now: Int64) -> Bool
}
