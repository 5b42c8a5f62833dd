/// A file that may be there, and that could not be opened or read.
package struct UnreadableFile: Error, Sendable, Equatable, CustomStringConvertible {
    package let path: String
    package let reason: SystemCode

    package init(_ path: String, _ reason: SystemCode) {
        self.path = path
        self.reason = reason
    }

    package var description: String { "\(path): \(reason)" }
}
