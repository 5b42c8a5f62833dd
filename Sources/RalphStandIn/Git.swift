import Foundation
import Glibc

/// The `git` of the machine.
enum Git {
    /// Runs git and gives what it prints.
    @discardableResult
    static func run(_ arguments: [String], in directory: String) throws(StandInError) -> String {
        let output = try DescriptorPair.pipe()
        let child: ChildProcess
        do {
            defer { close(output.writing) }
            child = try ChildProcess(
                ["git"] + arguments, environment: ProcessInfo.processInfo.environment, directory: directory,
                place: .group, descriptors: .init(output: output.writing, error: output.writing))
        }
        defer { close(output.reading) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = read(output.reading, &buffer, buffer.count), count > 0 {
            bytes += buffer.prefix(count)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard ChildProcess.isSuccess(child.wait()) else {
            throw .failure(
                "git \(arguments[0]) failed: \(text.trimmingCharacters(in: .whitespacesAndNewlines))")
        }
        return text
    }
}
