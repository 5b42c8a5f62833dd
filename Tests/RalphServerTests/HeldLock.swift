import Foundation
import RalphTestSupport

extension TemporaryDirectory {
    /// Takes the lock of the run in the workspace `name`, as the run would; its end is the descriptor's.
    func holdLock(of name: String) throws -> FileHandle {
        let file = try write("\(name)/.ralph/loop.lock", #"{"pid":\#(getpid())}"#)
        let descriptor = open(file, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw POSIXError(.EAGAIN) }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }
}
