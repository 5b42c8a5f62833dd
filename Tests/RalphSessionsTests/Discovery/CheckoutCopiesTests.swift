import RalphTestSupport
import Testing

@testable import RalphSessions

@Suite(.timeLimit(.minutes(1))) struct CheckoutCopiesTests {
    @Test func `an original that was empty is compared with once it has a line`() async throws {
        try await withTemporaryDirectory { directory in
            var copies = CheckoutCopies()
            let (own, main) = (directory.path + "/own", directory.path + "/main")
            try directory.write("own", TailLine.lines(1...2))
            try directory.write("main", "")
            #expect(try !copies.isCopy(own, of: main))

            try directory.write("main", TailLine.lines(1...1))
            #expect(try copies.isCopy(own, of: main))

            // What is known stays.
            try directory.write("main", "")
            #expect(try copies.isCopy(own, of: main))
        }
    }

    @Test func `of files that are gone a session's files remember nothing`() async throws {
        try await withTemporaryDirectory { directory in
            let (name, tree) = (SessionScene.run1, "/.worktrees/w")
            let session = DiscoveredSession(
                directory: SessionDirectory(workspace: directory.path + tree), worktreeOf: directory.path)
            var files = EventsFiles(session, secrets: [])
            try directory.write(".ralph/" + name, TailLine.lines(1...1))
            try directory.write(tree + "/.ralph/" + name, TailLine.lines(1...1))
            #expect(files.all().isEmpty)
            try directory.write(".ralph/" + name, "")
            #expect(files.all().isEmpty)

            try directory.remove(tree + "/.ralph/" + name)
            #expect(files.all().isEmpty)
            try directory.write(tree + "/.ralph/" + name, TailLine.lines(1...1))

            #expect(files.all().map(\.key) == [name])
        }
    }
}
