/// The outcome of the checks that an agent claimed, by Ralph's own rules (contract 2.7).
package struct BackpressureVerdict: Sendable, Codable, Equatable {
    /// `build.done`, `review.done` or `verify.passed`.
    package var topic: String
    package var isPassed: Bool
    /// The single checks by name (`tests`, `lint`, `typecheck` …); a check that was not named is failed.
    package var checks: [String: Bool]
    /// Milliseconds since 1970.
    package var at: Int64
    package var iteration: Int
}
