import Foundation

/// The `ralph` that tests run: the real one that `RALPH_BIN` names, else the stand-in.
public enum StandIn {
    /// The program that the build put beside the test bundle.
    public static let path =
        (CommandLine.arguments[0] as NSString).deletingLastPathComponent + "/ralph-stand-in"

    /// The real ralph if `RALPH_BIN` names one, else ``path``.
    public static let ralph = ProcessInfo.processInfo.environment["RALPH_BIN"] ?? path

    public static var isReal: Bool { ralph != path }
}
