import GRDB
import Testing

@testable import RalphFeed

struct StoreErrorTests {
    /// Only the extended code tells a log's shared memory without room from any other I/O error.
    @Test(arguments: [
        (ResultCode.SQLITE_IOERR_SHMSIZE, true), (.SQLITE_FULL, true), (.SQLITE_IOERR, false),
        (.SQLITE_IOERR_SHMOPEN, false), (.SQLITE_IOERR_SHMMAP, false),
    ])
    func `no room for the log's shared memory is a full disk`(_ code: ResultCode, isFull: Bool) {
        let error = StoreError(DatabaseError(resultCode: code, message: "m"), path: "/feed.sqlite")
        let unwritable = StoreError.unwritable(path: "/feed.sqlite", reason: "m")
        #expect(error == (isFull ? .diskFull(path: "/feed.sqlite") : unwritable))
    }
}
