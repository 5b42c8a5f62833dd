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
}
