/// What a caller may do, by what it can destroy; each scope has the ones before it.
public enum Scope: String, Sendable, CaseIterable, Comparable, Codable {
    /// Read everything that is shown: sessions, events, the library.
    case watch
    /// Answer questions and give guidance to a run that goes on anyway.
    case answer
    /// Steer, emit, pause and resume; change tasks and memories.
    case steer
    /// Start and stop runs, change configurations, see to loops, devices and the audit log.
    case start

    /// This scope and those that it has, the smallest first.
    public var all: [Scope] { Self.allCases.filter { $0 <= self } }

    public static func < (left: Scope, right: Scope) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .watch: 0
        case .answer: 1
        case .steer: 2
        case .start: 3
        }
    }
}
