import Foundation

/// A directory that exists for one test.
public struct TemporaryDirectory: Sendable {
    /// Absolute, symbolic links resolved, no trailing slash.
    public let path: String

    /// A directory that is there already, such as one below another.
    public init(path: String) { self.path = path }

    /// Writes `text` to `name` below the directory, replacing what was there; makes missing directories.
    @discardableResult
    public func write(_ name: String, _ text: String) throws -> String {
        try write(name, bytes: Array(text.utf8))
    }

    /// Writes `bytes` to `name` below the directory, replacing what was there; makes missing directories.
    @discardableResult
    public func write(_ name: String, bytes: [UInt8]) throws -> String {
        let file = path + "/" + name
        try FileManager.default.createDirectory(
            atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        return file
    }

    /// Appends `text` to `name` with one `write`, as Ralph's writers do; makes the file if it is missing.
    public func append(_ name: String, _ text: String) throws {
        let file = path + "/" + name
        if !FileManager.default.fileExists(atPath: file) { try write(name, "") }
        let descriptor = open(file, O_WRONLY | O_APPEND | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(.ENOENT) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: Data(text.utf8))
    }

    /// Removes `name` below the directory.
    public func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: path + "/" + name)
    }

    /// What lies in the directory `name`.
    public func names(in name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path + "/" + name)
    }

    /// The permission bits of `name`.
    public func mode(_ name: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
}

/// Runs `body` with a fresh directory and removes it afterwards.
///
/// - Parameter parent: where it is made if that exists, such as a file system in memory for very many files.
public func withTemporaryDirectory<Result>(
    below parent: String? = nil, _ body: (TemporaryDirectory) async throws -> Result
) async throws -> Result {
    let place =
        parent.flatMap { FileManager.default.fileExists(atPath: $0) ? $0 : nil } ?? NSTemporaryDirectory()
    let raw =
        (place.hasSuffix("/") ? place : place + "/") + "ralph-test-"
        + UUID().uuidString.prefix(8).lowercased()
    try FileManager.default.createDirectory(atPath: raw, withIntermediateDirectories: true)
    let path = URL(fileURLWithPath: raw).resolvingSymlinksInPath().path
    // A left-over temporary directory harms nobody.
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(TemporaryDirectory(path: path))
}
