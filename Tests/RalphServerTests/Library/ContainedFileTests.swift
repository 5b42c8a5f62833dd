import Foundation
import RalphTestSupport
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct ContainedFileTests {
    @Test func `a folder that is swapped for a link at any moment gives no byte from outside`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("base/folder/x.yml", "inside")
            try directory.write("outside/x.yml", "outside")
            let base = directory.path + "/base"
            let place = LibraryPlace(origin: .workspace, kind: .workspace, directory: base, base: base)
            var texts: [String: Int] = [:]
            let swaps = try await withSwapping(base + "/folder", for: directory.path + "/outside") {
                try await eventually(within: .seconds(30), "a folder that is in its place") {
                    for _ in 0..<5000 {
                        let outcome = ContainedFile.read(base + "/folder/x.yml", in: place, maximumBytes: 100)
                        guard case .found(let read) = outcome else { continue }
                        texts[String(decoding: read.bytes, as: UTF8.self), default: 0] += 1
                    }
                    return !texts.isEmpty
                }
            }

            #expect(Array(texts.keys) == ["inside"])
            #expect(swaps > 0)
        }
    }

    @Test func `pipes, devices and folders are no files, and nobody waits for them`() async throws {
        try await withTemporaryDirectory { directory in
            let place = LibraryPlace(
                origin: .workspace, kind: .workspace, directory: directory.path, base: directory.path)
            #expect(mkfifo(directory.path + "/pipe.yml", 0o644) == 0)
            try directory.write("folder.yml/x", "")
            for name in ["pipe.yml", "folder.yml", "nothing.yml"] {
                let outcome = ContainedFile.read(directory.path + "/" + name, in: place, maximumBytes: 100)
                guard case .missing = outcome else {
                    Issue.record("\(name) was read")
                    continue
                }
            }
        }
    }
}
