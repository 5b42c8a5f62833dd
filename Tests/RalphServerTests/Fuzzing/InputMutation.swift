/// Makes inputs out of others: the same for the same seed (SplitMix64).
struct InputMutation: RandomNumberGenerator {
    private static let splinters: [[UInt8]] = [
        [0], [0xFE], [0xFF], [0x0A], [0x0D], [0x0D, 0x0A], [0xC2, 0x85], [0xE2, 0x80, 0xA8], [0xF0, 0x9F],
        Array("{}".utf8), Array("[[[[".utf8), Array("\"".utf8), Array("\\".utf8), Array(#"\ud800"#.utf8),
        Array("%".utf8), Array("%00".utf8), Array("&".utf8), Array("=".utf8), Array("..".utf8),
        Array("//".utf8),
        Array(":".utf8), Array("9223372036854775808".utf8), Array("-1".utf8), Array("1e400".utf8),
        Array(".local".utf8), Array("127.0.0.1".utf8), Array("[::1]".utf8), Array("data: ".utf8),
        Array("&a *a".utf8),
    ]

    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// One of `inputs` with one to four changes.
    mutating func variation(of inputs: [[UInt8]]) -> [UInt8] {
        var bytes = inputs.randomElement(using: &self) ?? []
        for _ in 0..<Int.random(in: 1...4, using: &self) {
            let place = Int.random(in: 0...bytes.count, using: &self)
            let end = min(bytes.count, place + Int.random(in: 1...16, using: &self))
            switch Int.random(in: 0..<5, using: &self) {
            case 0: bytes.replaceSubrange(place..<end, with: [UInt8.random(in: 0...255, using: &self)])
            case 1: bytes.removeSubrange(place..<end)
            case 2: bytes.insert(contentsOf: Self.splinters.randomElement(using: &self) ?? [], at: place)
            case 3: bytes.removeSubrange(place...)
            default: bytes.insert(contentsOf: inputs.randomElement(using: &self) ?? [], at: place)
            }
        }
        return Array(bytes.prefix(4096))
    }
}
