import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct KeyFilesTests {
    private func link(_ path: String, to target: String) throws {
        try? FileManager.default.removeItem(atPath: path)  // there is none at first
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    }

    @Test func `keys stay keys when their link leads elsewhere or is gone`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path + "/key"
            let keys = try (1...3).map { try #require(try directory.write("\($0).pem", "").canonicalPath) }
            try link(path, to: "1.pem")
            let files = try KeyFiles([path], record: directory.path + "/known")
            try link(path, to: "2.pem")
            files.note()
            try link(path, to: "3.pem")
            #expect(files.paths == keys)

            try link(path, to: "1.pem")
            #expect(files.paths == [keys[1], keys[2], keys[0]])
            try FileManager.default.removeItem(atPath: path)
            #expect(files.paths == [keys[1], keys[2], keys[0]])

            let next = try KeyFiles([path], record: directory.path + "/known")
            #expect(next.paths == [keys[1], keys[2], keys[0]])
            try directory.write("known", "no list")
            #expect(try KeyFiles([path], record: directory.path + "/known").paths == [])
        }
    }

    @Test func `what the disk did not take is written once it does`() async throws {
        try await withTemporaryDirectory { directory in
            let key = try #require(try directory.write("key.pem", "").canonicalPath)
            let record = directory.path + "/later/known"
            let files = try KeyFiles([key], record: record)
            #expect(files.paths == [key])
            try directory.write("later/other", "")
            #expect(files.paths == [key])

            #expect(try KeyFiles([], record: record).paths == [key])
        }
    }

    @Test func `the oldest of too many are forgotten`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path + "/key"
            let files = try KeyFiles([path], record: directory.path + "/known")
            for number in 0...KeyFiles.maximumFiles {
                try directory.write("\(number).pem", "")
                try link(path, to: "\(number).pem")
                files.note()
            }
            #expect(files.paths.count == KeyFiles.maximumFiles)
            #expect(files.paths.first?.hasSuffix("/1.pem") == true)
        }
    }
}
