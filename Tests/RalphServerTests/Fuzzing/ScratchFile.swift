import Foundation

@testable import RalphSessions

/// A file that nobody else sees, for as long as it is open.
enum ScratchFile {
    /// A file with `bytes`, open for reading.
    static func open(_ bytes: [UInt8]) throws(FuzzFinding) -> OpenFile {
        let path = NSTemporaryDirectory() + "/ralph-fuzz-\(UInt64.random(in: 0...UInt64.max))"
        do {
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            defer { unlink(path) }
            return try OpenFile(path)
        } catch {
            throw FuzzFinding(text: "no scratch file: \(error)")
        }
    }
}
