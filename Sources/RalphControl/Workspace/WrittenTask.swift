package import RalphSessions

/// A task that was written, and the line that it is in the file.
package struct WrittenTask: Sendable, Equatable {
    package let record: TaskRecord
    package let line: [UInt8]
}
