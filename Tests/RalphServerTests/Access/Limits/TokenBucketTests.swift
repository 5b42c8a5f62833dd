import Testing

@testable import RalphServer

struct TokenBucketTests {
    private static let second: Int64 = 1_000_000_000
    private let rate = RequestRates.Rate(perSecond: 10, burst: 4)

    @Test func `a quiet bucket grants its burst and no more`() {
        var bucket = TokenBucket()
        let granted = (0..<6).map { _ in bucket.take(rate, at: 7) == nil }

        #expect(granted == [true, true, true, true, false, false])
    }

    @Test func `an empty bucket says when the next token comes, and then it is there`() throws {
        var bucket = TokenBucket()
        for _ in 0..<4 { _ = bucket.take(rate, at: 0) }
        let refused = bucket.take(rate, at: 0)
        let wait = try #require(refused)

        #expect(wait == Self.second / 10)
        #expect(bucket.take(rate, at: wait - 1) == 1)
        #expect(bucket.take(rate, at: wait) == nil)
    }

    @Test func `over a long time the rate is granted, however much is asked for`() {
        var bucket = TokenBucket()
        var granted = 0
        for millisecond in 0..<10_000 where bucket.take(rate, at: Int64(millisecond) * 1_000_000) == nil {
            granted += 1
        }

        #expect((100...104).contains(granted))
    }

    @Test func `refused requests cost nothing`() {
        var bucket = TokenBucket()
        for _ in 0..<1000 { _ = bucket.take(rate, at: 0) }

        #expect(bucket.take(rate, at: Self.second / 10) == nil)
    }

    @Test func `a bucket is worth nothing when it is full again`() {
        var bucket = TokenBucket()
        _ = bucket.take(rate, at: 0)

        #expect(!bucket.hasFaded(at: Self.second / 10 - 1))
        #expect(bucket.hasFaded(at: Self.second / 10))
    }
}
