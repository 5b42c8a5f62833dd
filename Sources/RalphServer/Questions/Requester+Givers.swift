import RalphControl

/// Those who gave one answer.
extension Requester {
    /// Whoever gave a held answer without being noted.
    static let somebody = Requester.unrevocable("server")

    /// All who gave an answer as one, who may ask as long as one of them may: that is found out at the command's turn.
    static func one(of givers: [Requester]) -> Requester {
        guard let first = givers.first(where: \.hasRight) ?? givers.first else { return somebody }
        return Requester(first.text) { givers.contains { $0.hasRight } }
    }
}
