/// Figures by the day of UTC that they belong to; what is added up here is added to what is stored.
public struct FigureDays: Sendable, Equatable {
    /// Stands for no day: its times are when something began that still goes on, see ``open(_:at:)``.
    public static let openDay: Int64 = -1_000_000
    /// The first day that is told apart, 2020-01-01: what is older was stamped by a clock that was not set.
    public static let firstDay: Int64 = 18_262
    public static let dayMilliseconds: Int64 = 86_400_000
    /// A longer time is a clock's mistake, and not counted: 366 days.
    public static let longestSpan: Int64 = 366 * dayMilliseconds

    /// By days since 1970-01-01.
    public private(set) var days: [Int64: Figures] = [:]

    public init() {}

    public var isEmpty: Bool { days.isEmpty }

    /// The days in their order, without ``openDay``.
    public var sorted: [(day: Int64, figures: Figures)] {
        days.filter { $0.key != Self.openDay }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The sum of all days.
    public var total: Figures {
        var total = Figures()
        for (day, figures) in days where day != Self.openDay { total.add(figures) }
        return total
    }

    /// Since when what goes on goes on, milliseconds since 1970; 0: it does not.
    public var open: Figures { days[Self.openDay] ?? Figures() }

    /// The day of UTC in which a moment lies, milliseconds since 1970.
    public static func day(of milliseconds: Int64) -> Int64 {
        let day = milliseconds / dayMilliseconds
        return milliseconds % dayMilliseconds < 0 ? day - 1 : day
    }

    /// Adds to the day of a moment, milliseconds since 1970.
    public mutating func change(at time: Int64, _ change: (inout Figures) -> Void) {
        change(&days[Self.day(of: time), default: Figures()])
    }

    public mutating func add(_ figures: Figures, day: Int64) {
        days[day, default: Figures()].add(figures)
    }

    /// Adds what `other` has added up.
    public mutating func add(_ other: FigureDays) {
        for (day, figures) in other.days { add(figures, day: day) }
        if days[Self.openDay] == Figures() { days[Self.openDay] = nil }
    }

    /// Adds the time between two moments, to each day what lies in it.
    public mutating func addSpan(_ path: WritableKeyPath<Figures, Int64>, from start: Int64, to end: Int64) {
        guard start < end, end - start <= Self.longestSpan else { return }
        var start = start
        while start < end {
            let day = Self.day(of: start)
            let stop = min(end, (day + 1) * Self.dayMilliseconds)
            days[day, default: Figures()][keyPath: path] += stop - start
            start = stop
        }
    }

    /// Something began; to be added to what is stored, where nothing of the kind goes on.
    public mutating func open(_ path: WritableKeyPath<Figures, Int64>, at time: Int64) {
        days[Self.openDay, default: Figures()][keyPath: path] += time
    }

    /// What went on since `start` is over, and counted by ``addSpan(_:from:to:)`` as far as it is to be.
    public mutating func close(_ path: WritableKeyPath<Figures, Int64>, since start: Int64) {
        open(path, at: -start)
        if days[Self.openDay] == Figures() { days[Self.openDay] = nil }
    }

    /// The same sums in days from ``firstDay`` to the one behind `now`, milliseconds since 1970: bounds how
    /// many there can be. What lies outside goes to the first one, or to today.
    public func folded(now: Int64) -> FigureDays {
        let today = max(Self.day(of: now), Self.firstDay)
        let isBounded = days.keys.allSatisfy {
            $0 == Self.openDay || ($0 >= Self.firstDay && $0 <= today + 1)
        }
        guard !isBounded else { return self }
        var folded = FigureDays()
        for (day, figures) in days {
            let place = day == Self.openDay ? day : day > today + 1 ? today : max(day, Self.firstDay)
            folded.add(figures, day: place)
        }
        return folded
    }
}
