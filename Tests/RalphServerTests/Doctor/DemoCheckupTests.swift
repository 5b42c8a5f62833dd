import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

/// `doctor --demo`.
@Suite(.timeLimit(.minutes(1)))
struct DemoCheckupTests {
    private func examine(_ place: TemporaryDirectory, stateDirectory: String? = nil) async -> [Finding] {
        var flags = ServerConfiguration.Flags()
        flags.roots = [place.path]
        flags.stateDirectory = stateDirectory
        flags.port = 0
        flags.isDemo = true
        return await LocalExamination(
            flags, certificate: nil, environment: ["HOME": place.path], ask: { _ in nil }
        ).findings()
    }

    @Test func `it tells what would be copied, and that the state is temporary`() async throws {
        try await withTemporaryDirectory { place in
            try place.write("a/.ralph/events.jsonl", #"{"topic":"a","ts":"2026-11-21T03:26:36Z"}"# + "\n")
            let findings = await examine(place)
            let kept = await examine(place, stateDirectory: place.path + "/state")

            let demo = try #require(findings.first { $0.subject == "demo" })
            #expect(demo.level == .ok && demo.found.hasPrefix("1 workspaces are copied with the state to "))
            #expect(Set(findings.map(\.subject)).isDisjoint(with: ["state", "store", "search", "devices"]))
            #expect(
                kept.first { $0.subject == "demo" }?.found.hasPrefix("1 workspaces are copied to ") == true)
            #expect(kept.contains { $0.subject == "state" && $0.found.contains(place.path) })
        }
    }

    @Test func `nothing to copy is told`() async throws {
        try await withTemporaryDirectory { place in
            let demo = try #require(await examine(place).first { $0.subject == "demo" })

            #expect(demo.level == .fail)
            #expect(demo.found == "--demo: there is no recorded session below \(place.path).")
        }
    }

    @Test func `no place to copy to is told`() async throws {
        try await withTemporaryDirectory { place in
            let found = DemoCheckup(
                source: place.path, place: place.path + "/none", isStateTemporary: true
            ).look()

            #expect(found.map(\.level) == [.fail] && found[0].advice?.contains("TMPDIR") == true)
        }
    }
}
