import RalphFeed
import RalphWire

/// Why a search is refused or fails.
extension Problem {
    static let searchDisabled = Problem(
        status: 503, error: "search_disabled", code: .unavailable,
        details: "The server was started with --no-search.")

    static let searchBusy = Problem(
        status: 503, error: "search_busy", code: .unavailable,
        details: "\(SearchService.maximumSearches) searches are under way, which is the limit.", retryAfter: 1
    )

    init(_ error: SearchError) {
        switch error {
        case .timeout:
            self.init(
                status: 503, error: "search_timeout", code: .unavailable,
                details: "The search took longer than \(SearchService.timeLimit.components.seconds) s;"
                    + " name a session, or words that are rarer.")
        case .unavailable:
            self.init(
                status: 503, error: "search_unavailable", code: .unavailable, details: error.description,
                retryAfter: 2)
        }
    }

    init(_ refusal: SearchQuery.Refusal) {
        switch refusal {
        case .tooLong: self = .invalidRequest("q may have \(SearchQuery.maximumBytes) bytes")
        case .tooManyTerms: self = .invalidRequest("q may have \(SearchQuery.maximumTerms) words and phrases")
        case .nothingWanted: self = .invalidRequest("q must have a word that is not excluded")
        }
    }
}
