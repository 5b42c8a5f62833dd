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
}
