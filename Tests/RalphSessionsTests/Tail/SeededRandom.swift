import Foundation
import RalphTestSupport

/// A seed, and the numbers that it gives.
struct SeededRandom: RandomNumberGenerator {
    let seed: UInt64
    private var generator: SeededGenerator

    init(seed: UInt64) {
        self.seed = seed
        generator = SeededGenerator(seed: seed)
    }

    /// With the seed of `RALPH_TEST_SEED`, or another one each time.
    static func fromEnvironment() -> SeededRandom {
        let text = ProcessInfo.processInfo.environment["RALPH_TEST_SEED"]
        return SeededRandom(seed: text.flatMap { UInt64($0) } ?? .random(in: 0...UInt64(UInt32.max)))
    }

    mutating func next() -> UInt64 { generator.next() }

    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
}
