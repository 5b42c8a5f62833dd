import Testing

@testable import RalphServer

struct AuditRefusalsTests {
    private func refusal(_ peer: String = "a", at now: Int64 = 0, status: UInt = 401) -> AuditEntry {
        var entry = AuditEntry("GET /", at: now, by: Caller(peer: peer, access: .open, scope: nil))
        entry.outcome = .refused
        entry.status = status
        return entry
    }

    @Test func `the first refusal is a line at once, the same ones within ten seconds are one with a count`()
    {
        var refusals = AuditRefusals()
        #expect(refusals.admits(refusal(at: 0)))
        #expect(!refusals.admits(refusal(at: 10)))
        #expect(!refusals.admits(refusal(at: 20)))
        #expect(refusals.takeEnded(at: 9_999).isEmpty)

        let ended = refusals.takeEnded(at: AuditRefusals.windowMilliseconds)
        #expect(ended.map(\.count) == [2])
        #expect(ended.map(\.at) == [20])
        #expect(refusals.takeEnded(at: 60_000).isEmpty)
        #expect(refusals.admits(refusal(at: 20_000)))
    }

    @Test func `a refusal that comes once has one line`() {
        var refusals = AuditRefusals()
        #expect(refusals.admits(refusal()))

        #expect(refusals.takeEnded(at: 60_000, isLast: true).isEmpty)
    }

    @Test func `another peer and another status are other refusals`() {
        var refusals = AuditRefusals()

        #expect(refusals.admits(refusal("a")))
        #expect(refusals.admits(refusal("b")))
        #expect(refusals.admits(refusal("a", status: 429)))
    }

    @Test func `more kinds than there is place for are counted together`() {
        var refusals = AuditRefusals()
        let admitted = (0..<AuditRefusals.capacity + 50).filter { refusals.admits(refusal("p\($0)")) }

        #expect(admitted.count == AuditRefusals.capacity)
        let others = refusals.takeEnded(at: 10_000)
        #expect(others.map(\.action) == [AuditRefusals.othersAction])
        #expect(others.map(\.count) == [50])
    }

    @Test func `what was counted is told at the end whatever the time`() {
        var refusals = AuditRefusals()
        for _ in 1...3 { _ = refusals.admits(refusal()) }

        #expect(refusals.takeEnded(at: 1, isLast: true).map(\.count) == [2])
    }
}
