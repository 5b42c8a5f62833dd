import Foundation

/// What a program writes to one of its descriptors, kept up to a bound.
final class OutputPipe {
    /// Bytes that have come, at most `maximumBytes`.
    private(set) var bytes: [UInt8] = []
    /// Whether there was more.
    private(set) var isCut = false
    /// The program's end, above 2; -1 once it is closed here.
    private(set) var writing: Int32
    private let reading: Int32
    private let maximumBytes: Int
    private var part = [UInt8](repeating: 0, count: 64 << 10)

    /// - Throws: ``ControlError/failedToSpawn(_:)`` when no descriptors are left.
    init(maximumBytes: Int) throws(ControlError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .failedToSpawn("pipe: \(RunFiles.reason(errno))") }
        guard let writing = RunFiles.raised(ends[1]), writing >= 0 else {
            close(ends[0])
            throw .failedToSpawn("pipe: \(RunFiles.reason(errno))")
        }
        self.writing = writing
        reading = ends[0]
        self.maximumBytes = maximumBytes
        for end in [reading, writing] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(reading, F_SETFL, O_NONBLOCK)
    }

    deinit {
        closeWriting()
        close(reading)
    }

    /// Closes our copy of the program's end, so that its end is seen.
    func closeWriting() {
        if writing >= 0 { close(writing) }
        writing = -1
    }

    /// Takes what is there, without waiting; beyond the bound it is read and forgotten.
    ///
    /// - Returns: whether anything was there.
    func drain() -> Bool {
        var hasRead = false
        for _ in 0..<64 {  // so that one that writes faster than this reads is still looked after
            let count = part.withUnsafeMutableBytes { Foundation.read(reading, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            hasRead = true
            let room = maximumBytes - bytes.count
            isCut = isCut || count > room
            bytes += part[..<min(count, room)]
        }
        return hasRead
    }
}
