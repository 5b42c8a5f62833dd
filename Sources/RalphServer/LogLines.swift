import Foundation
package import Logging
import RalphWire

/// Where log lines go: each is one line with nothing in it that steers a terminal, whatever paths, names and
/// reasons of others it tells of.
package struct LogLines: TextOutputStream, Sendable {
    private let put: @Sendable (String) -> Void

    /// - Parameter put: takes one line with its line end.
    package init(_ put: @escaping @Sendable (String) -> Void) { self.put = put }

    package mutating func write(_ string: String) {
        let line = string.hasSuffix("\n") ? String(string.dropLast()) : string
        put(TerminalText.safe(line) + "\n")
    }

    /// What logs to standard error.
    package static func standardError(label: String) -> StreamLogHandler {
        StreamLogHandler(
            label: label,
            stream: LogLines { line in
                // Nobody is left to be told of a log that cannot be written; nor may its reader hold anybody up.
                StandardStream.error.write(line)
            })
    }
}
