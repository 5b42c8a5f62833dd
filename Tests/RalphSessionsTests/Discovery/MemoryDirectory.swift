import Foundation

@testable import RalphTestSupport

/// Like `withTemporaryDirectory`, in memory where the system has a file system there: making and removing
/// thousands of directories takes half a minute on some disks.
func withMemoryDirectory<Result>(
    _ body: (TemporaryDirectory) async throws -> Result
) async throws -> Result {
    let path = "/dev/shm/ralph-test-" + UUID().uuidString.prefix(8).lowercased()
    guard mkdir(path, 0o700) == 0 else { return try await withTemporaryDirectory(body) }
    // A left-over temporary directory harms nobody.
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(TemporaryDirectory(path: path))
}
