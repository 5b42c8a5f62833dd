import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphServer

struct AuditFileTests {
    private func entries(_ count: Int) -> [AuditEntry] { (0..<count).map { AuditEntry("e\($0)", at: 0) } }

    private func seqs(_ directory: TemporaryDirectory) throws -> [Int] {
        let page = try AuditReader(path: directory.path + "/audit.jsonl").page(before: .max, limit: 500)
        let list = try JSONSerialization.jsonObject(with: Data(page)) as? [[String: Any]]
        return list?.compactMap { $0["seq"] as? Int } ?? []
    }

    private func text(_ directory: TemporaryDirectory, _ name: String = "audit.jsonl") -> String {
        String(
            decoding: FileManager.default.contents(atPath: directory.path + "/" + name) ?? Data(),
            as: UTF8.self)
    }

    @Test func `the file is its owner's alone, and numbers go on when it is opened again`() async throws {
        try await withTemporaryDirectory { (directory) throws in
            for _ in 1...2 {
                var file = AuditFile(path: directory.path + "/audit.jsonl")
                #expect(try file.append(entries(2)) == 2)
                file.close()
            }

            #expect(try directory.mode("audit.jsonl") == 0o600)
            #expect(try seqs(directory) == [4, 3, 2, 1])
        }
    }

    @Test(arguments: ["{\"seq\":7,\"ts\":", "garbage", "{\"seq\":9999"])
    func `a line that a crash left torn is ended first`(_ torn: String) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("audit.jsonl", "{\"seq\":3}\n" + torn)
            var file = AuditFile(path: directory.path + "/audit.jsonl")
            #expect(try file.append(entries(1)) == 1)
            file.close()

            #expect(text(directory).hasPrefix("{\"seq\":3}\n\(torn)\n{\"seq\":4,"))
            #expect(try seqs(directory) == [4, 3])
        }
    }

    @Test func `a full file gets another name, the oldest one goes, and numbers go on`() async throws {
        try await withTemporaryDirectory { (directory) throws in
            var file = AuditFile(path: directory.path + "/audit.jsonl", maximumBytes: 1)
            for _ in 1...8 { #expect(try file.append(entries(1)) == 1) }
            file.close()

            let names = try directory.names(in: "").sorted()
            #expect(names == ["audit.jsonl"] + (1...AuditFile.olderFiles).map { "audit.jsonl.\($0)" })
            #expect(try seqs(directory) == [8, 7, 6, 5, 4, 3])
            #expect(text(directory, "audit.jsonl.5").hasPrefix("{\"seq\":3,"))
            #expect(try directory.mode("audit.jsonl.5") == 0o600)
        }
    }

    @Test func `numbers go on behind a rotation and a restart`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("audit.jsonl.1", "{\"seq\":41}\n")
            try directory.write("audit.jsonl", "")
            var file = AuditFile(path: directory.path + "/audit.jsonl")
            #expect(try file.append(entries(1)) == 1)
            file.close()

            #expect(try seqs(directory) == [42, 41])
        }
    }

    @Test func `no number is given while the newest older file cannot be read`() async throws {
        try await withTemporaryDirectory { directory in
            let present = try directory.write("audit.jsonl", "")
            let newest = try directory.write("audit.jsonl.1", "{\"seq\":41}\n")
            try directory.write("audit.jsonl.2", "{\"seq\":20}\n")
            try #require(chmod(present, 0o666) == 0 && chmod(newest, 0) == 0)
            var file = AuditFile(path: present)

            withoutRights { #expect(throws: AuditProblem.self) { try file.append(entries(1)) } }
            #expect(text(directory).isEmpty)

            try #require(chmod(newest, 0o600) == 0)
            #expect(try file.append(entries(1)) == 1)
            file.close()
            #expect(try seqs(directory) == [42, 41, 20])
        }
    }

    @Test func `a file that was taken away begins anew and its numbers do not`() async throws {
        try await withTemporaryDirectory { directory in
            var file = AuditFile(path: directory.path + "/audit.jsonl")
            #expect(try file.append(entries(2)) == 2)
            try directory.remove("audit.jsonl")
            #expect(try file.append(entries(1)) == 1)
            file.close()

            #expect(try seqs(directory) == [3])
        }
    }

    @Test func `a file that another took the place of is left, and its lines go on in the other`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            var file = AuditFile(path: directory.path + "/audit.jsonl")
            #expect(try file.append(entries(2)) == 2)
            try directory.remove("audit.jsonl")
            try directory.write("audit.jsonl", "{\"seq\":8}\n")
            #expect(try file.append(entries(1)) == 1)
            file.close()

            #expect(try seqs(directory) == [9, 8])
        }
    }

    @Test func `a rotation that fails loses nothing, however often it is tried`() async throws {
        try await withTemporaryDirectory { directory in
            var file = AuditFile(path: directory.path + "/audit.jsonl", maximumBytes: 1)
            for _ in 0...AuditFile.olderFiles { #expect(try file.append(entries(1)) == 1) }
            // No file takes the place of a directory (rename(2)).
            try directory.remove("audit.jsonl.5")
            try directory.write("audit.jsonl.5/in-the-way", "")
            for _ in 1...7 { #expect(throws: AuditProblem.self) { try file.append(entries(1)) } }
            try directory.remove("audit.jsonl.5")
            #expect(try file.append(entries(1)) == 1)
            file.close()

            #expect(try seqs(directory) == [7, 6, 5, 4, 3, 2])
        }
    }

    @Test func `a link in the place of the file is not followed`() async throws {
        try await withTemporaryDirectory { directory in
            try FileManager.default.createSymbolicLink(
                atPath: directory.path + "/audit.jsonl", withDestinationPath: directory.path + "/elsewhere")
            var file = AuditFile(path: directory.path + "/audit.jsonl")

            #expect(throws: AuditProblem.self) { try file.append(entries(1)) }
            #expect(try directory.names(in: "") == ["audit.jsonl"])
        }
    }

    @Test(.enabled(if: FullDisk.canBeMounted, "a small file system cannot be mounted here"))
    func `a full disk loses no line that is tried again, and tears none for good`() async throws {
        try await withTemporaryDirectory { place in
            let disk = try #require(FullDisk(below: place))
            defer { disk.unmount() }
            var file = AuditFile(path: disk.path + "/audit.jsonl")
            #expect(try file.append(entries(1)) == 1)
            let filler = try disk.fill()
            var rest = entries(499)
            #expect(throws: AuditProblem.self) {
                while !rest.isEmpty { rest.removeFirst(try file.append(rest)) }
            }
            try FileManager.default.removeItem(atPath: filler)
            while !rest.isEmpty { rest.removeFirst(try file.append(rest)) }
            file.close()

            #expect(try seqs(TemporaryDirectory(path: disk.path)) == (1...500).reversed())
        }
    }

    @Test func `pages are bounded, go backwards over files, and pass over what is no line`() async throws {
        try await withTemporaryDirectory { directory in
            func lines(_ range: ClosedRange<Int>) -> String { range.map { "{\"seq\":\($0)}\n" }.joined() }
            try directory.write("audit.jsonl.1", lines(1...3))
            try directory.write("audit.jsonl", "\n\u{0}\n{\"seq\":x}\n" + lines(4...20_000) + "{\"seq\":")
            let reader = AuditReader(path: directory.path + "/audit.jsonl")

            #expect(
                String(decoding: try reader.page(before: 20_000, limit: 1), as: UTF8.self)
                    == "[{\"seq\":19999}]")
            #expect(
                String(decoding: try reader.page(before: 6, limit: 4), as: UTF8.self)
                    == "[{\"seq\":5},{\"seq\":4},{\"seq\":3},{\"seq\":2}]")
            #expect(try reader.page(before: 1, limit: 4) == Array("[]".utf8))
        }
    }

    @Test func `a page without a file that cannot be read is none`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("audit.jsonl", "{\"seq\":2}\n")
            let older = try directory.write("audit.jsonl.1", "{\"seq\":1}\n")
            try #require(chmod(older, 0) == 0)
            let reader = AuditReader(path: directory.path + "/audit.jsonl")

            withoutRights {
                #expect((try? reader.page(before: .max, limit: 1)) == Array("[{\"seq\":2}]".utf8))
                #expect(throws: UnreadableFile(older, SystemCode(EACCES))) {
                    try reader.page(before: .max, limit: 2)
                }
            }
        }
    }
}
