/// What became of commands where that could not be stored: it is told of them all the same, and stored when it can be.
struct UnstoredOutcomes: Sendable {
    struct Outcome: Sendable, Equatable {
        var outcome: String
        var status: Int
        /// `nil`: the one that the command has stays.
        var detail: String?
        /// Milliseconds since 1970.
        var concludedAt: Int64
    }

    /// For a further one the oldest command's goes.
    static let maximum = 1000

    private(set) var kept: [Int64: Outcome] = [:]
    /// How many have gone so: those commands are taken for such as go on.
    private(set) var lost = 0

    /// By the command's id; `nil`: the store knows it.
    subscript(id: Int64) -> Outcome? {
        get { kept[id] }
        set {
            kept[id] = newValue
            guard kept.count > Self.maximum, let oldest = kept.keys.min() else { return }
            kept[oldest] = nil
            lost += 1
        }
    }
}
