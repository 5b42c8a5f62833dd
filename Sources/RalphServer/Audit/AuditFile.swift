import Foundation
import RalphSessions

/// The files of the audit log: `audit.jsonl`, to which lines are only ever added, and older ones, `audit.jsonl.1`
/// (the newest of them) … `audit.jsonl.5`. Owner only. Not for an event loop.
struct AuditFile: Sendable {
    /// Bytes of a file above which the next line begins a new one.
    static let maximumBytes: Int64 = 8 << 20
    /// Older files that are kept.
    static let olderFiles = 5
    /// Bytes at the end of a file in which its last whole line is looked for.
    private static let endBytes = 64 << 10

    let path: String
    private let maximumBytes: Int64
    private var descriptor: Int32 = -1
    /// Which file ``descriptor`` is of.
    private var opened: EntryStatus?
    private var size: Int64 = 0
    private var nextSeq: Int64 = 0
    /// Whether a line was begun and not ended, by a crash or a full disk.
    private var isTorn = false
    private var isDirty = false

    init(path: String, maximumBytes: Int64 = AuditFile.maximumBytes) {
        self.path = path
        self.maximumBytes = maximumBytes
    }

    /// The path of the older file `number`; 0 is the present one.
    static func path(_ path: String, _ number: Int) -> String { number == 0 ? path : "\(path).\(number)" }

    /// Adds lines for `entries` at the end.
    ///
    /// - Returns: how many are written; fewer than all if the disk took no more, and the rest may be tried again.
    /// - Throws: ``AuditProblem`` if none is.
    mutating func append(_ entries: [AuditEntry]) throws(AuditProblem) -> Int {
        guard !entries.isEmpty else { return 0 }
        try open()
        if size >= maximumBytes { try rotate() }
        var bytes: [UInt8] = isTorn ? [0x0A] : []
        var ends: [Int] = []
        for entry in entries {
            entry.append(seq: nextSeq + Int64(ends.count), to: &bytes)
            ends.append(bytes.count)
        }
        let taken = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
        guard taken > 0 else { throw problem }
        let written = ends.prefix { $0 <= taken }.count
        size += Int64(taken)
        nextSeq += Int64(written)
        isTorn = taken != (written > 0 ? ends[written - 1] : isTorn ? 1 : 0)
        isDirty = true
        return written
    }

    /// Waits until the disk has what was written (fsync(2)).
    mutating func synchronize() throws(AuditProblem) {
        guard isDirty, descriptor >= 0 else { return }
        guard fsync(descriptor) == 0 else { throw problem }
        isDirty = false
    }

    /// Closes the file; the next line opens it again.
    mutating func close() {
        guard descriptor >= 0 else { return }
        _ = Foundation.close(descriptor)
        descriptor = -1
    }

    private var problem: AuditProblem { AuditProblem(path: path, code: errno) }

    /// Opens the file unless it is open and still where it was, and finds out where its lines go on.
    private mutating func open() throws(AuditProblem) {
        if descriptor >= 0 {
            if let opened, EntryStatus(at: path)?.isSameFile(as: opened) == true { return }
            close()  // somebody took it away, or put another one there
        }
        let flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        descriptor = Foundation.open(path, flags, 0o600)
        guard descriptor >= 0 else { throw problem }
        opened = EntryStatus(descriptor: descriptor)
        _ = fchmod(descriptor, 0o600)  // whoever put the file there
        size = Int64(lseek(descriptor, 0, SEEK_END))
        guard size >= 0 else {
            defer { close() }
            throw problem
        }
        let end: [UInt8]
        do throws(SystemCode) {
            end = try Self.end(of: descriptor, size: size)
        } catch {
            close()
            throw AuditProblem(path: path, code: error.code)
        }
        isTorn = end.last.map { $0 != 0x0A } ?? false
        do throws(AuditProblem) {
            var last = Self.lastSeq(in: end)
            if last == nil { last = try olderSeq() }
            nextSeq = max(nextSeq, (last ?? 0) + 1)
        } catch {
            close()
            throw error
        }
    }

    /// The last number of the newest older file that has one. Only a file that is not there is passed over: behind one
    /// that cannot be read now, an older one would have its numbers given again.
    private func olderSeq() throws(AuditProblem) -> Int64? {
        for number in 1...Self.olderFiles {
            let path = Self.path(path, number)
            let older = Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard older >= 0 else {
                let code = SystemCode(errno)
                guard code.isAbsence else { throw AuditProblem(path: path, code: code.code) }
                continue
            }
            defer { _ = Foundation.close(older) }
            do throws(SystemCode) {
                let end = try Self.end(of: older, size: Int64(lseek(older, 0, SEEK_END)))
                if let seq = Self.lastSeq(in: end) { return seq }
            } catch {
                throw AuditProblem(path: path, code: error.code)
            }
        }
        return nil
    }

    /// Begins a new file. Those before the first free number move up; without one the oldest goes. So nothing is
    /// lost by trying again after a failure.
    private mutating func rotate() throws(AuditProblem) {
        _ = fsync(descriptor)
        let free = (1...Self.olderFiles).first { EntryStatus(at: Self.path(path, $0)) == nil }
        for number in (0..<(free ?? Self.olderFiles)).reversed()
        where rename(Self.path(path, number), Self.path(path, number + 1)) != 0 {
            throw problem
        }
        close()
        try open()
    }

    private static func end(of descriptor: Int32, size: Int64) throws(SystemCode) -> [UInt8] {
        let start = max(0, size - Int64(endBytes))
        return try BoundedFile.part(of: descriptor, at: start, count: Int(max(0, size - start)))
    }

    private static func lastSeq(in end: [UInt8]) -> Int64? {
        for line in end.split(separator: 0x0A).reversed() {
            if let seq = AuditReader.seq(of: line), JSONObject(Array(line)) != nil { return seq }
        }
        return nil
    }
}
