/// How many lines of a session's files were not read, or not whole.
package struct SkippedLines: Sendable, Equatable {
    /// Lines of events files that are not, or not only, JSON objects.
    package var malformed = 0
    /// Lines that were too long to be read.
    package var overlong = 0

    package init() {}
}
