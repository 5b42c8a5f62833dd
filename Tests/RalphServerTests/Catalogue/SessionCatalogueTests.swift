import RalphSessions
import RalphWire
import Testing

@testable import RalphServer

struct SessionCatalogueTests {
    /// Two directories whose ids have the first eight digits in common, and not the ninth.
    private static let directories = ["/w/32097", "/w/71525"].map { workspace in
        SessionDirectory(path: workspace + "/.ralph", workspace: workspace, layout: .ralph)
    }

    @Test func `a beginning that two sessions have in common is neither's, and says so`() throws {
        let catalogue = SessionCatalogue()
        for directory in Self.directories {
            catalogue.update(DiscoveredSession(directory: directory)) { _ in }
        }
        let ids = Self.directories.map(\.id)
        let common = ids[0].rawValue.prefix(8)
        try #require(ids[1].rawValue.hasPrefix(common) && ids[0] != ids[1])

        let problem = #expect(throws: Problem.self) { try catalogue.resolve(common) }
        #expect(problem?.status == 404 && problem?.error == "session_not_found")
        #expect(problem?.details?.contains(common) == true)
        for id in ids { #expect(try catalogue.resolve(id.rawValue.prefix(9)) == id) }
    }

    @Test func `what a configuration makes large of a hat is cut where its session is shown`() {
        let word = String(repeating: "ä", count: 101)
        let words = Array(repeating: "*w", count: 300).joined(separator: ",")
        var entry = CatalogueEntry(session: DiscoveredSession(directory: Self.directories[0]), now: 0)
        entry.config = WorkspaceConfig(
            yaml: "w: &w \"\(word)\"\nhats: {h: {name: *w, triggers: [a.b], publishes: [\(words)]}}\n")
        entry.state.hat = "h"

        let shown = SessionObject(entry, epoch: "", report: nil, now: 0)

        let cut = String(repeating: "ä", count: 100)
        #expect(shown.hat_name == cut)
        #expect(shown.publishes == Array(repeating: cut, count: LibraryLimits.members))
        // What events are matched with stays whole.
        #expect(entry.runConfig?.hats.first?.publishes == Array(repeating: word, count: 300))
    }
}
