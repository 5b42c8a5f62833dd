import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@Suite struct CanonicalPathTests {
    @Test func `links are resolved, and what is not there says why`() async throws {
        try await withTemporaryDirectory { (directory) throws in
            try directory.write("a/file", "")
            symlink("a", directory.path + "/b")
            symlink("loop", directory.path + "/loop")

            #expect(try (directory.path + "/b/../b/file").resolvedPath() == directory.path + "/a/file")
            for (name, code) in [("c", ENOENT), ("a/file/x", ENOTDIR), ("loop", ELOOP)] {
                let path = directory.path + "/" + name
                #expect(throws: SystemCode(code)) { try path.resolvedPath() }
                #expect(try path.resolvedFile() == nil)
                #expect(path.canonicalPath == nil)
            }
        }
    }

    @Test func `what is no path is not resolved up to where it is one`() async throws {
        try await withTemporaryDirectory { (directory) throws in
            let long = directory.path + String(repeating: "/.", count: Int(PATH_MAX) / 2)
            for path in [directory.path + "\0x", long] {
                #expect(path.canonicalPath == nil)
                #expect(try path.resolvedFile() == nil)
            }
        }
    }

    @Test func `what leads to a name that is not UTF-8 is no file`() async throws {
        try await withTemporaryDirectory { (directory) throws in
            let name = Array(directory.path.utf8CString.dropLast()) + [0x2F, CChar(bitPattern: 0xFF), 0]
            close(open(name, O_CREAT | O_WRONLY, 0o600))
            symlink(name, directory.path + "/link")

            let link = directory.path + "/link"
            #expect(throws: SystemCode(EILSEQ)) { try link.resolvedPath() }
            #expect(try link.resolvedFile() == nil)
        }
    }

    @Test func `what may not be looked at is unreadable`() async throws {
        try await withTemporaryDirectory { (directory) throws in
            try directory.write("a/file", "")
            let path = directory.path + "/a/file"
            chmod(directory.path + "/a", 0)
            defer { chmod(directory.path + "/a", 0o700) }

            withoutRights {
                #expect(throws: UnreadableFile(path, SystemCode(EACCES))) { try path.resolvedFile() }
            }
        }
    }

    @Test func `a name follows one slash`() {
        #expect("/".appendingPath("x") == "/x")
        #expect("/r".appendingPath("x/y") == "/r/x/y")
        #expect("/r/".appendingPath("x") == "/r/x")
    }
}
