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

    private(set) var stages: [Name: Stage] = [:]
    private var unstored = 0

    /// `nil`: the store knows all of it.
    subscript(name: Name) -> Stage? {
        get { stages[name] }
        set {
            if let old = stages[name], old != .goingOn { unstored -= 1 }
            let isUnstored = newValue != nil && newValue != .goingOn
            let fits = !isUnstored || unstored < Self.maximumUnstored
            stages[name] = fits ? newValue : nil
            if isUnstored, fits { unstored += 1 }
        }
    }

    /// The ends that could not be stored.
    var ends: [(name: Name, stage: Stage)] {
        unstored == 0 ? [] : stages.filter { $0.value != .goingOn }.map { ($0.key, $0.value) }
    }
}
