public import Foundation

/// A program of this machine, found as a shell finds it.
public struct Program {
    public let path: String

    /// `nil`: it is not installed.
    public init?(_ name: String) {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let found = folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let found else { return nil }
        path = found
    }

    /// What it writes to its standard output until it ends.
    public func output(_ arguments: [String]) throws -> String {
        let output = Pipe()
        let process = try start(arguments, output: output)
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    /// Starts it with nothing to read.
    ///
    /// - Parameter output: a pipe, or a file handle.
    public func start(_ arguments: [String], output: Any?) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }
}
