/// What the store cannot say of requests with an `Idempotency-Key`: which are being carried out now, and what became of
/// those whose end could not be stored.
struct KeyedRequests: Sendable {
    /// A request by what tells it from others.
    struct Name: Sendable, Hashable {
        let scope: String
        let key: String
    }

    enum Stage: Sendable, Equatable {
        case goingOn
        /// It came to nothing, which is not stored.
        case abandoned
        /// It was answered with this status, which is not stored.
        case answered(Int)
    }

    /// Further ends that could not be stored are taken for those of a server that died.
    static let maximumUnstored = 1000

    private var goingOn: Set<Name> = []
    /// The ends that could not be stored.
    private(set) var ends: [Name: Stage] = [:]
    /// How many there was no room for.
    private(set) var lostEnds = 0

    /// `nil`: the store knows all of it.
    subscript(name: Name) -> Stage? {
        get { goingOn.contains(name) ? .goingOn : ends[name] }
        set {
            goingOn.remove(name)
            ends[name] = nil
            switch newValue {
            case .goingOn: goingOn.insert(name)
            case .abandoned, .answered:
                if ends.count < Self.maximumUnstored { ends[name] = newValue } else { lostEnds += 1 }
            case nil: break
            }
        }
    }
}
