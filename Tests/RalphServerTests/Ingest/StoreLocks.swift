import Foundation
import RalphTestSupport
import Testing

/// The locks of those who use a store (SQLite's `os_unix.c` and `wal.c`), held as another program would.
struct StoreLocks {
    enum Kind {
        case writer
        case readers

        fileprivate var bytes: Range<off_t> {
            switch self {
            case .writer: 120..<121
            case .readers: 123..<128
            }
        }
    }

    /// `F_OFD_SETLK` (fcntl(2)): also against this process, which uses the store.
    private static let setting: Int32 = 37
    private let kind: Kind
    private let file: FileHandle

    init(_ kind: Kind, of scene: IngestScene) throws {
        self.kind = kind
        file = try #require(
            FileHandle(forUpdatingAtPath: scene.directory.path + "/.state/feed.sqlite-shm"))
    }

    func take() -> Bool { set(F_WRLCK) }

    func leave() { _ = set(F_UNLCK) }

    private func set(_ type: Int32) -> Bool {
        var lock = flock()
        lock.l_type = Int16(type)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = kind.bytes.lowerBound
        lock.l_len = off_t(kind.bytes.count)
        return fcntl(file.fileDescriptor, Self.setting, &lock) == 0
    }
}
