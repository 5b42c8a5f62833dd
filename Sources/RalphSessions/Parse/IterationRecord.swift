/// What is known of one iteration of a run.
package struct IterationRecord: Sendable, Codable, Equatable {
    /// Which run of the session it belongs to, counted from 1; 0: a run whose start was not seen.
    package var run: Int
    /// Ralph's number, from 1.
    package var number: Int
    /// Hat id in lower case; empty: not known.
    package var hat: String
    /// Milliseconds since 1970; `nil`: not seen.
    package var startedAt: Int64?
    /// Milliseconds; `nil` while it goes on and where nobody said.
    package var durationMilliseconds: Int64?

    package init(
        run: Int, number: Int, hat: String, startedAt: Int64?, durationMilliseconds: Int64? = nil
    ) {
        self.run = run
        self.number = number
        self.hat = hat
        self.startedAt = startedAt
        self.durationMilliseconds = durationMilliseconds
    }
}

/// Records in the order in which their iterations became known: those of a run follow each other, the newest run's last.
extension [IterationRecord] {
    /// The place of iteration `number` of `run`; looks at no record of an older run.
    func index(of number: Int, run: Int) -> Int? {
        var place = count
        while place > 0, self[place - 1].run >= run {
            place -= 1
            if self[place].run == run, self[place].number == number { return place }
        }
        return nil
    }
}
