import Foundation

/// A generator that gives the same numbers for the same seed (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// With the seed of `RALPH_TEST_SEED`, or another one each time.
    static func fromEnvironment() -> SeededRandom {
        let text = ProcessInfo.processInfo.environment["RALPH_TEST_SEED"]
        return SeededRandom(seed: text.flatMap { UInt64($0) } ?? .random(in: 0...UInt64(UInt32.max)))
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
}
