import Foundation
import GRDBSQLite
import Synchronization

/// A quota that is used up, for what SQLite writes below one directory: its calls of the system are ours meanwhile
/// (`xSetSystemCall` of sqlite.org/c3ref/vfs.html).
enum UsedUpQuota {
    private typealias Write = @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int
    private static let directory = Mutex<String?>(nil)

    /// Runs `body` while nothing below `path` can be written.
    static func below<Result>(_ path: String, _ body: () throws -> Result) rethrows -> Result {
        directory.withLock { $0 = path }
        set { descriptor, bytes, count, offset in
            guard UsedUpQuota.holds(descriptor) else { return pwrite(descriptor, bytes, count, offset) }
            errno = EDQUOT
            return -1
        }
        defer { set(nil) }
        return try body()
    }

    private static func set(_ write: Write?) {
        guard let system = sqlite3_vfs_find(nil) else { return }
        let call = write.map { unsafeBitCast($0, to: sqlite3_syscall_ptr.self) }
        // Which of the two it was built to use is not told.
        for name in ["pwrite", "pwrite64"] { _ = system.pointee.xSetSystemCall(system, name, call) }
    }

    private static func holds(_ descriptor: Int32) -> Bool {
        var name = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/fd/\(descriptor)", &name, name.count)
        guard count > 0, let path = directory.withLock({ $0 }) else { return false }
        let file = String(decoding: name[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // That one is cut first, which gives its blocks back.
        return file.hasPrefix(path + "/") && !file.hasSuffix("-shm")
    }
}
