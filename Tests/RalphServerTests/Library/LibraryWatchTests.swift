import Foundation
import RalphTestSupport
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct LibraryWatchTests {
    private func makeFolder(_ name: String, in directory: TemporaryDirectory) throws -> String {
        let path = directory.path + "/" + name
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        return path
    }

    @Test func `a folder that is renamed again and again needs one watch`() async throws {
        try await withTemporaryDirectory { directory in
            let watch = LibraryWatch(maximumWatches: 3)
            var path = try makeFolder("0", in: directory)
            watch.add(path, names: nil, contents: true)
            for number in 1...10 {
                let next = directory.path + "/\(number)"
                try FileManager.default.moveItem(atPath: path, toPath: next)
                path = next
                watch.add(path, names: nil, contents: true)
                _ = watch.takeChanges()
            }

            let other = try makeFolder("other", in: directory)
            watch.add(other, names: nil, contents: true)
            #expect(!watch.takeChanges())
            for folder in [path, other] {
                try Data().write(to: URL(filePath: folder + "/new.md"))
                #expect(watch.takeChanges(), "\(folder)")
            }
        }
    }

    @Test func `a new folder under the old name of another takes nothing from it`() async throws {
        try await withTemporaryDirectory { directory in
            let watch = LibraryWatch()
            let old = try makeFolder("old", in: directory)
            watch.add(old, names: nil, contents: true)
            let new = directory.path + "/new"
            try FileManager.default.moveItem(atPath: old, toPath: new)
            watch.add(new, names: nil, contents: true)
            watch.add(try makeFolder("old", in: directory), names: nil, contents: true)
            _ = watch.takeChanges()

            for folder in [new, old] {
                try Data().write(to: URL(filePath: folder + "/new.md"))
                #expect(watch.takeChanges(), "\(folder)")
            }
        }
    }
}
