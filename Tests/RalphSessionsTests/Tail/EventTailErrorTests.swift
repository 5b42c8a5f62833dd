import Foundation
import RalphTestSupport
import Testing

@testable import RalphSessions

@Suite(.timeLimit(.minutes(1)))
struct EventTailErrorTests {
    @Test func `only regular files are opened`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("elsewhere", "secret\n")
            let scene = TailScene(directory)
            let refused = TailError.notRegularFile(path: scene.path)

            mkfifo(scene.path, 0o600)
            #expect(throws: refused) { try scene.read() }
            unlink(scene.path)
            mkdir(scene.path, 0o700)
            #expect(throws: refused) { try scene.read() }
            rmdir(scene.path)
            symlink(directory.path + "/elsewhere", scene.path)
            #expect(throws: refused) { try scene.read() }
            unlink(scene.path)
            try scene.write("a\n")
            #expect(try scene.read() == ["a"])
        }
    }

    @Test func `what is given up for want of descriptors is opened again`() async throws {
        try await withTemporaryDirectory { directory in
            var limits = TailLimits()
            limits.openFiles = 2
            let pool = FilePool(limits: limits)
            let names = (0..<5).map { "\($0).jsonl" }
            let tails = names.map { EventTail(path: directory.path + "/" + $0, limits: limits, pool: pool) }

            var given = 0
            for round in 0..<3 {
                for (name, tail) in zip(names, tails) {
                    try directory.append(name, TailLine.lines(round...round))
                    var budget = Int.max
                    _ = try tail.readAvailable(upTo: &budget) { _ in given += 1 }
                }
            }
            // A tail that is used no more gives its file back.
            withExtendedLifetime(tails) { #expect(given == 15 && pool.openCount == 2) }
        }
    }

    @Test(arguments: [
        (ENOENT, TailError.missing(path: "/x")), (ENOTDIR, .missing(path: "/x")),
        (EACCES, .notPermitted(path: "/x")),
        (EPERM, .notPermitted(path: "/x")), (ELOOP, .notRegularFile(path: "/x")),
        (EISDIR, .notRegularFile(path: "/x")),
        (EIO, .unreadable(path: "/x", errno: EIO)),
    ])
    func `an errno says what is the matter with the path`(code: Int32, error: TailError) {
        #expect(TailError(errno: code, path: "/x") == error)
        #expect(error.description.hasPrefix("/x ") && error.description.hasSuffix("."))
    }
}
