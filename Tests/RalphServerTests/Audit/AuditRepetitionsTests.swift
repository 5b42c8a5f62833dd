import RalphWire
import Testing

@testable import RalphServer

struct AuditRepetitionsTests {
    private func refusal(_ peer: String = "a", at now: Int64 = 0, status: UInt = 401) -> AuditEntry {
        var entry = AuditEntry("GET /", at: now, by: Caller(peer: peer, access: .open, scope: nil))
        entry.outcome = .refused
        entry.status = status
        return entry
    }

    private func admits(_ entry: AuditEntry, to refusals: inout AuditRepetitions) -> Bool {
        refusals.admits(entry)
    }

    private func due(at now: Int64, isLast: Bool = false, of refusals: inout AuditRepetitions) -> [AuditEntry]
    {
        refusals.takeEnded(at: now, isLast: isLast)
    }

    @Test func `the first refusal is a line at once, the same ones within ten seconds are one with a count`()
    {
        var refusals = AuditRepetitions.refusals
        #expect(admits(refusal(at: 0), to: &refusals) == true)
        #expect(admits(refusal(at: 10), to: &refusals) == false)
        #expect(admits(refusal(at: 20), to: &refusals) == false)
        #expect(due(at: 9_999, of: &refusals) == [])

        let ended = refusals.takeEnded(at: AuditRepetitions.windowMilliseconds)
        #expect(ended.map(\.count) == [2])
        #expect(ended.map(\.at) == [20])
        #expect(due(at: 60_000, of: &refusals) == [])
        #expect(admits(refusal(at: 20_000), to: &refusals) == true)
    }

    @Test func `a refusal that comes once has one line`() {
        var refusals = AuditRepetitions.refusals
        #expect(admits(refusal(), to: &refusals) == true)

        #expect(due(at: 60_000, isLast: true, of: &refusals) == [])
    }

    @Test func `another peer and another status are other refusals`() {
        var refusals = AuditRepetitions.refusals

        #expect(admits(refusal("a"), to: &refusals) == true)
        #expect(admits(refusal("b"), to: &refusals) == true)
        #expect(admits(refusal("a", status: 429), to: &refusals) == true)
    }

    @Test func `more kinds than there is place for are counted together`() {
        var refusals = AuditRepetitions.refusals
        let admitted = (0..<562).filter { refusals.admits(refusal("p\($0)")) }

        #expect(admitted.count == 512)
        let others = refusals.takeEnded(at: 10_000)
        #expect(others.map(\.action) == ["refusals.others"])
        #expect(others.map(\.count) == [50])
    }

    @Test func `of one caller a few kinds have lines of their own, the rest has one`() {
        var refusals = AuditRepetitions.refusals
        let admitted = (0..<300).filter { refusals.admits(refusal("a", status: UInt(400 + $0))) }

        #expect(admitted == Array(0..<16))
        #expect(admits(refusal("b"), to: &refusals))
        let others = refusals.takeEnded(at: 10_000)
        #expect(others.map(\.action) == ["refusals.others"])
        #expect(others.map(\.peer) == ["a"] && others.map(\.who) == ["nobody"])
        #expect(others.map(\.count) == [284])
        #expect(refusals.takeEnded(at: 60_000).isEmpty)
    }

    @Test func `what was counted is told at the end whatever the time`() {
        var refusals = AuditRepetitions.refusals
        for _ in 1...3 { _ = refusals.admits(refusal()) }

        #expect(due(at: 1, isLast: true, of: &refusals).map(\.count) == [2])
    }

    private func opening(_ target: String) -> AuditEntry {
        let caller = Caller(peer: "a", access: .key, scope: .watch)
        var entry = AuditEntry("GET /api/sessions/{id}/events", at: 0, by: caller, target: target)
        entry.status = 200
        return entry
    }

    @Test func `openings of one session are gathered, those of others have their own lines up to a bound`() {
        var openings = AuditRepetitions.openings
        let admitted = (0..<100).filter { number in
            let isFirst = openings.admits(opening("\(number)"))
            _ = openings.admits(opening("\(number)"))
            return isFirst
        }

        #expect(admitted == Array(0..<64))
        let ended = openings.takeEnded(at: 10_000)
        #expect(ended.filter { $0.count == 1 }.compactMap(\.target).count == 64)
        #expect(ended.filter { $0.target == nil }.map(\.action) == ["streams.others"])
        #expect(ended.filter { $0.target == nil }.map(\.count) == [72])
        #expect(Set(ended.map(\.outcome)) == [.ok])
    }
}
