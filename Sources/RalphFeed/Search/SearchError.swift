/// Why a search has no answer.
package enum SearchError: Error, Sendable, Equatable, CustomStringConvertible {
    /// It was broken off at its deadline.
    case timeout
    /// There is no index at present; it is tried again.
    case unavailable(reason: String)

    package var description: String {
        switch self {
        case .timeout: "The search took too long and was broken off."
        case .unavailable(let reason): "The search index cannot be used: \(reason)."
        }
    }
}
