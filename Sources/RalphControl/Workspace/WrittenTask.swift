package import RalphSessions

/// A task that was written, and the line that it is in the file.
package struct WrittenTask: Sendable, Equatable {
    package let record: TaskRecord
    package let line: [UInt8]
    /// Lines that it was before, as far as they are known to be.
    package private(set) var earlier: [[UInt8]]

    /// How many earlier lines are kept.
    private static let maximumEarlier = 16

    /// - Parameter replaced: the line that it stands in place of.
    init(record: TaskRecord, line: [UInt8], replaced: [UInt8]? = nil) {
        (self.record, self.line, earlier) = (record, line, replaced.map { [$0] } ?? [])
    }

    /// Takes in how it was written as well; of two changes the later one may be told first.
    package mutating func change(to task: WrittenTask) {
        guard task.line != line else { return }
        let isLater = !earlier.contains(task.line)
        let lines = isLater && !task.earlier.contains(line) ? task.earlier : task.earlier + earlier
        if isLater { self = task }
        earlier = lines.suffix(Self.maximumEarlier).filter { $0 != line }
    }
}
