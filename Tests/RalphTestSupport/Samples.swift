import Foundation

/// The recorded workspaces in `sessions/`; tests copy them and never write to the originals.
public enum Samples {
    /// The root of the package.
    public static let packageRoot = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    /// The directory with all samples.
    public static var directory: String { packageRoot + "/sessions" }

    /// The names of the samples.
    public static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
            .filter { !$0.hasPrefix(".") && !$0.hasSuffix(".md") }
    }

    /// Copies one sample to `target`, which must not exist yet.
    public static func copy(_ name: String, to target: String) throws {
        try FileManager.default.copyItem(atPath: directory + "/" + name, toPath: target)
    }
}
