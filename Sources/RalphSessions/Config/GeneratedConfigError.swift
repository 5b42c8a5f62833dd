/// Why no configuration can be made of the chosen one.
package struct GeneratedConfigError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Counts from 1; `nil`: it is not about one line.
    package let line: Int?
    package let problem: String

    package var description: String { line.map { "line \($0): \(problem)" } ?? problem }
}
