import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@Suite struct BoundedFileTests {
    @Test(arguments: [(0, 3, "abc"), (2, 2, "cd"), (4, 9, "ef"), (6, 1, ""), (9, 1, ""), (1, 0, "")])
    func `a part of a file is shorter only at its end`(offset: Int64, count: Int, part: String) async throws {
        try await withTemporaryDirectory { (directory) throws in
            try directory.write("file", "abcdef")
            let descriptor = open(directory.path + "/file", O_RDONLY)
            defer { close(descriptor) }

            let bytes = try BoundedFile.part(of: descriptor, at: offset, count: count)
            #expect(String(decoding: bytes, as: UTF8.self) == part)
        }
    }

    #if os(Linux)
    @Test func `what the system gives in pieces is one part`() throws {
        let path = "/proc/kallsyms"
        let descriptor = open(path, O_RDONLY)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var once = [UInt8](repeating: 0, count: 20_000)
        #expect(pread(descriptor, &once, once.count, 0) < once.count)

        let part = try BoundedFile.part(of: descriptor, at: 0, count: once.count)
        #expect(part == BoundedFile.readSystemFile(path, maximumBytes: once.count))
    }
    #endif

    @Test func `what cannot be read says why`() async throws {
        try await withTemporaryDirectory { (directory) throws in
            let descriptor = open(directory.path + "/file", O_WRONLY | O_CREAT, 0o600)
            defer { close(descriptor) }

            #expect(throws: SystemCode(EBADF)) { try BoundedFile.part(of: descriptor, at: 0, count: 1) }
        }
    }
}
