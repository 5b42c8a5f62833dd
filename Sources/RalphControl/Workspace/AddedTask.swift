package import RalphSessions

/// A task that was added, and the line that it is in the file.
package struct AddedTask: Sendable, Equatable {
    package let record: TaskRecord
    package let line: [UInt8]
}
