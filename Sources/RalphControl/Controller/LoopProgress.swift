import Foundation
import RalphSessions

/// What `api/loop-state.json` says (contract 2.6).
enum LoopProgress {
    private static let maximumBytes = 1 << 20

    /// The iterations that a continued run counts as done; `nil` without the file.
    static func iteration(of directory: SessionDirectory) -> Int? {
        guard let bytes = BoundedFile.read(directory.loopState, maximumBytes: maximumBytes) else {
            return nil
        }
        // Half-written content says as much as no content.
        let members = (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any]
        return (members?["iteration"] as? NSNumber).flatMap { UInt32(exactly: $0) }.map(Int.init)
    }
}
