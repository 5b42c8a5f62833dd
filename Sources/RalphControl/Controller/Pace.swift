import Dispatch
import Foundation

/// Waiting that nobody can cut short: a command that has begun goes on when its client has left.
enum Pace {
    /// How often a state that has no descriptor to wait on is looked at.
    static let look = Duration.milliseconds(20)

    /// Waits for `duration`.
    static func rest(_ duration: Duration) async {
        let milliseconds = Int(duration / .milliseconds(1))
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
                continuation.resume()
            }
        }
    }
}
