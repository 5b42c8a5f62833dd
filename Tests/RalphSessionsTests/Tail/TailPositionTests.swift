import Testing

@testable import RalphSessions

struct TailPositionTests {
    private static func make(_ head: Int, _ tail: Int, missing: Bool) -> TailPosition {
        var position = TailPosition()
        position.device = .max
        position.inode = 0x1234_5678_9ABC_DEF0
        position.generation = 3
        position.offset = 1 << 40
        position.firstLine = 0xFEDC_BA98_7654_3210
        position.head = (0..<head).map { UInt8($0) }
        position.tail = (0..<tail).map { UInt8(255 - $0) }
        position.isMissing = missing
        return position
    }

    @Test(arguments: [(0, 0), (1, 64), (64, 64), (64, 0)], [true, false])
    func `a position comes back as it went`(counts: (head: Int, tail: Int), missing: Bool) {
        let position = Self.make(counts.head, counts.tail, missing: missing)

        #expect(TailPosition(encoded: position.encoded) == position)
    }

    private static func makeCut(_ head: Int, _ tail: Int) -> TailPosition {
        var position = make(64, 64, missing: false)
        var farthest = FarthestRead()
        (farthest.generation, farthest.offset, farthest.firstLine) = (2, 1 << 41, 0x1020_3040_5060_7080)
        farthest.time = 1_790_000_000_000
        farthest.head = (0..<head).map { UInt8($0) }
        farthest.tail = (0..<tail).map { UInt8(200 - $0) }
        position.farthest = farthest
        return position
    }

    @Test(arguments: [(0, 0), (1, 64), (64, 64)])
    func `a position in a file that was cut comes back as it went`(counts: (head: Int, tail: Int)) {
        let position = Self.makeCut(counts.head, counts.tail)

        #expect(TailPosition(encoded: position.encoded) == position)
    }

    private static func makeEarlier(_ count: Int, isCut: Bool) -> TailPosition {
        var position = isCut ? makeCut(64, 64) : make(64, 64, missing: true)
        let contents = (0..<count).map { number in
            var content = FarthestRead()
            (content.generation, content.offset, content.time) = (10 + number, 1 << 20 + Int64(number), 7)
            (content.head, content.tail) = ([1, 2, 3], [UInt8(number)])
            return content
        }
        position.earlier = EarlierContents(contents, newestGeneration: 99)
        return position
    }

    @Test(arguments: 0...EarlierContents.capacity, [true, false])
    func `a position in a file that took another's place comes back as it went`(count: Int, isCut: Bool) {
        let position = Self.makeEarlier(count, isCut: isCut)

        #expect(position.encoded.first == 4)
        #expect(TailPosition(encoded: position.encoded) == position)
    }

    @Test func `only a position in a file that was cut is of a version that older servers do not read`() {
        #expect(Self.make(64, 64, missing: false).encoded.first == 2)
        #expect(Self.makeCut(64, 64).encoded.first == 3)
    }

    @Test func `a position of the first version is one whose first line is not known`() {
        var position = Self.make(64, 64, missing: false)
        let old = [1] + position.encoded[1..<34] + position.encoded[42...]
        position.firstLine = 0

        #expect(TailPosition(encoded: old) == position)
    }

    @Test func `nothing else is a position`() {
        let good = Self.make(64, 64, missing: false).encoded
        let cut = Self.makeCut(64, 64)
        var near = cut
        near.farthest?.offset = cut.offset

        let earlier = [false, true].map { Self.makeEarlier(2, isCut: $0).encoded }
        for good in [good, cut.encoded] + earlier {
            for count in 0..<good.count { #expect(TailPosition(encoded: Array(good[..<count])) == nil) }
            #expect(TailPosition(encoded: good + [0]) == nil)
            #expect(TailPosition(encoded: [0] + good.dropFirst()) == nil)
            #expect(TailPosition(encoded: [5] + good.dropFirst()) == nil)
            #expect(TailPosition(encoded: [UInt8](repeating: 0xFF, count: good.count)) == nil)
        }
        #expect(TailPosition(encoded: [3] + good.dropFirst()) == nil)
        #expect(TailPosition(encoded: [4] + good.dropFirst()) == nil)
        #expect(TailPosition(encoded: [2] + cut.encoded.dropFirst()) == nil)
        #expect(TailPosition(encoded: near.encoded) == nil)
    }
}
