import RalphTestSupport

/// Makes inputs out of others: the same for the same seed.
struct InputMutation {
    private static let splinters: [[UInt8]] = [
        [0], [0xFE], [0xFF], [0x0A], [0x0D], [0x0D, 0x0A], [0xC2, 0x85], [0xE2, 0x80, 0xA8], [0xF0, 0x9F],
        Array("{}".utf8), Array("[[[[".utf8), Array("\"".utf8), Array("\\".utf8), Array(#"\ud800"#.utf8),
        Array("%".utf8), Array("%00".utf8), Array("&".utf8), Array("=".utf8), Array("..".utf8),
        Array("//".utf8),
        Array(":".utf8), Array("9223372036854775808".utf8), Array("-1".utf8), Array("1e400".utf8),
        Array(".local".utf8), Array("127.0.0.1".utf8), Array("[::1]".utf8), Array("data: ".utf8),
        Array("&a *a".utf8),
    ]

    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// One of `inputs` with one to four changes.
    mutating func variation(of inputs: [[UInt8]]) -> [UInt8] {
        var bytes = inputs.randomElement(using: &random) ?? []
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            let end = min(bytes.count, place + Int.random(in: 1...16, using: &random))
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes.replaceSubrange(place..<end, with: [UInt8.random(in: 0...255, using: &random)])
            case 1: bytes.removeSubrange(place..<end)
            case 2: bytes.insert(contentsOf: Self.splinters.randomElement(using: &random) ?? [], at: place)
            case 3: bytes.removeSubrange(place...)
            default: bytes.insert(contentsOf: inputs.randomElement(using: &random) ?? [], at: place)
            }
        }
        return Array(bytes.prefix(4096))
    }
}
