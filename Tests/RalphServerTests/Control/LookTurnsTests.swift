import RalphSessions
import Testing

@testable import RalphServer

struct LookTurnsTests {
    @Test func `a run that is over is looked at once more, also when nobody has looked at it before`() {
        var turns = LookTurns()
        var entry = CatalogueEntry(
            session: DiscoveredSession(directory: SessionDirectory(workspace: "/w")), now: 0)
        var looks: [[Bool]] = []
        for isHeld in [true, true, false, false] {
            entry.liveness.lockHeld = isHeld
            looks.append([turns.wasHeld(entry.session.id), turns.isChanged(entry)])
        }
        #expect(looks == [[false, true], [true, false], [true, true], [false, false]])
    }

    @Test func `what changes under a look is looked at again behind it, once`() {
        var turns = LookTurns()
        let id = SessionDirectory(workspace: "/w").id
        let begun = [turns.begin(id, isChanged: true), turns.begin(id)]
        #expect(begun == [true, false])
        _ = [turns.begin(id, isChanged: true), turns.begin(id, isChanged: true)]

        let ends = [turns.end(id), turns.end(id)]
        #expect(ends == [false, true])
        let next = [turns.begin(id), turns.end(id)]
        #expect(next == [true, true])
    }
}
