import RalphTestSupport
import Testing

@testable import RalphSessions

/// Ten thousand random actions on the files of a session; after each read the events given must be exactly
/// those that a reference model says, in its order. The seed is the test's argument, and so printed;
/// `RALPH_TEST_SEED` repeats it.
@Suite(.timeLimit(.minutes(1)))
struct TailModelTests {
    @Test(arguments: [SeededRandom.fromEnvironment().seed], [false, true])
    func `every line is given once, whatever happens to the files`(seed: UInt64, pointsBack: Bool)
        async throws
    {
        try await withTemporaryDirectory { directory in
            let run = try TailModelRun(directory, SeededRandom(seed: seed), pointsBack: pointsBack)
            for step in 0..<10_000 {
                let (expected, given) = try run.act()
                guard expected != given else { continue }
                Issue.record(
                    "seed \(seed), step \(step), \(run.history.suffix(30)): expected \(expected), given \(given)"
                )
                return
            }
        }
    }
}
