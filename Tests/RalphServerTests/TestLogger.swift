import Logging
import RalphServer
import RalphTestSupport

/// What servers in this process log with: everything is kept where the suite's logs are, else nothing.
enum TestLogger {
    /// - Parameter keep: gets each line too.
    static func make(_ keep: (@Sendable (String) -> Void)? = nil) -> Logger {
        guard TestLogs.directory != nil || keep != nil else {
            return Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        }
        var logger = Logger(label: "test") { label in
            StreamLogHandler(
                label: label,
                stream: LogLines { line in
                    TestLogs.keep(line)
                    keep?(line)
                })
        }
        logger.logLevel = .trace
        return logger
    }
}
