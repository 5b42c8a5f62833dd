import Foundation

/// The newest appends, as long as the tables do not have them: written at once, in one piece each, and read again
/// only after a crash.
///
/// A file of two halves. Records are added to one of them; when the tables have all of the other one, records may
/// go on there from its beginning. So the file never grows beyond twice ``halfBytes``. A record that was cut off by
/// a crash, and what is left behind the newest one, is told by its checksum and its number. Like the store's own
/// log, it is not synced: it outlives the process, a loss of power may take the newest records.
struct AppendJournal: Sendable {
    /// Where the second half begins, and how much each may hold at most.
    static let halfBytes = 4 << 20
    /// Format, epoch, number, bytes of contents, checksum: 8 bytes each, least significant byte first.
    private static let headBytes = 40
    private static let format: UInt64 = 1

    private struct Half {
        var end = 0
        /// The number of its newest record; 0: none since the file was opened.
        var newest: Int64 = 0
    }

    /// How much a half may hold.
    let capacity: Int
    /// The number of the newest record, or of the newest append that went into the tables directly.
    private(set) var number: Int64
    let path: String
    private let descriptor: Int32
    private let epoch: UInt64
    private var halves = [Half(), Half()]
    private var current = 0
    /// The tables have everything up to this number.
    private var settled: Int64
    private var encoder = JournalEncoder()

    /// Opens the journal, or makes it.
    ///
    /// - Parameters:
    ///   - capacity: how many bytes a half may hold, at most ``halfBytes``.
    ///   - settled: up to which number the tables have everything.
    init(path: String, epoch: String, capacity: Int, settled: Int64) throws(StoreError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0, fchmod(descriptor, 0o600) == 0 else {
            let reason = String(cString: strerror(errno))
            if descriptor >= 0 { Foundation.close(descriptor) }
            throw .unwritable(path: path, reason: reason)
        }
        self.path = path
        self.capacity = min(capacity, Self.halfBytes)
        self.epoch = UInt64(epoch, radix: 16) ?? 0
        self.settled = max(0, settled)
        number = self.settled
    }

    /// Adds a record; `false` if there is no room or it cannot be written, and then the appends must go into the
    /// tables under a number of their own.
    mutating func append(_ appends: [NumberedAppend]) -> Bool {
        encoder.reset(reserving: Self.headBytes)
        encoder.put(appends)
        let count = encoder.bytes.count
        guard halves[current].end + count <= capacity else { return false }
        encoder.putHead([
            Self.format, epoch, UInt64(bitPattern: number + 1), UInt64(count - Self.headBytes),
            Self.checksum(encoder.bytes[Self.headBytes...], number: number + 1),
        ])
        let place = current * Self.halfBytes + halves[current].end
        guard pwrite(descriptor, encoder.bytes, count, off_t(place)) == count else { return false }
        number += 1
        halves[current].end += count
        halves[current].newest = number
        return true
    }

    /// Gives a number to appends that go into the tables directly: a record of theirs that was begun counts no more.
    mutating func skip() -> Int64 {
        number += 1
        return number
    }

    /// Begins the other half if the tables have all of it; otherwise the records go on where they are.
    mutating func turn() {
        let other = 1 - current
        guard halves[other].newest <= settled else { return }
        halves[other].end = 0
        current = other
    }

    /// The tables have everything up to `number`.
    mutating func settle(through number: Int64) {
        settled = number
        if number == self.number { halves[current].end = 0 }
    }

    /// The records that the tables do not have, oldest first, as far as they follow each other.
    ///
    /// - Throws: ``StoreError/unwritable(path:reason:)`` if the file cannot be read.
    func records() throws(StoreError) -> [ArraySlice<UInt8>] {
        var found: [(number: Int64, contents: ArraySlice<UInt8>)] = []
        for half in 0...1 { found += Self.records(in: try bytes(ofHalf: half), epoch: epoch) }
        found.sort { $0.number < $1.number }
        var next = settled + 1
        return found.compactMap { record in
            guard record.number == next else { return nil }
            next += 1
            return record.contents
        }
    }

    /// Empties the file; the tables have everything up to `number`, and what else there was counts no more.
    mutating func clear(at number: Int64) throws(StoreError) {
        guard ftruncate(descriptor, 0) == 0 else {
            throw .unwritable(path: path, reason: String(cString: strerror(errno)))
        }
        self.number = number
        settled = number
        halves = [Half(), Half()]
    }

    /// Numbers go on behind `number`, up to which there are records that the tables do not have.
    mutating func goOn(at number: Int64) { self.number = number }

    func close() { Foundation.close(descriptor) }

    /// The records of a half that follow each other from its beginning on.
    private static func records(
        in bytes: [UInt8], epoch: UInt64
    ) -> [(number: Int64, contents: ArraySlice<UInt8>)] {
        var found: [(number: Int64, contents: ArraySlice<UInt8>)] = []
        var place = 0
        while place + headBytes <= bytes.count {
            let head = (0..<5).map { integer(bytes, at: place + $0 * 8) }
            let start = place + headBytes
            guard head[0] == format, head[1] == epoch, let number = Int64(exactly: head[2]),
                found.isEmpty || found[found.count - 1].number &+ 1 == number,
                head[3] <= UInt64(bytes.count - start)
            else { break }
            let contents = bytes[start..<start + Int(head[3])]
            guard head[4] == checksum(contents, number: number) else { break }
            found.append((number, contents))
            place = contents.endIndex
        }
        return found
    }

    private func bytes(ofHalf half: Int) throws(StoreError) -> [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unreadable }
        let begin = half * Self.halfBytes
        let length = min(Self.halfBytes, Int(status.st_size) - begin)
        guard length > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: length)
        var count = 0
        while count < length {
            let part = bytes.withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress.map { $0 + count }, length - count, off_t(begin + count))
            }
            if part < 0, errno == EINTR { continue }
            guard part > 0 else { throw unreadable }
            count += part
        }
        return bytes
    }

    private var unreadable: StoreError { .unwritable(path: path, reason: String(cString: strerror(errno))) }

    private static func integer(_ bytes: [UInt8], at place: Int) -> UInt64 {
        let value = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt64.self) }
        return UInt64(littleEndian: value)
    }

    /// Tells a record that is whole from one that is not: every word turns, mixes and multiplies the sum so far.
    private static func checksum(_ contents: ArraySlice<UInt8>, number: Int64) -> UInt64 {
        contents.withUnsafeBytes { bytes in
            var sum = UInt64(bitPattern: number) ^ UInt64(bytes.count)
            func mix(_ word: UInt64) { sum = ((sum << 5 | sum >> 59) ^ word) &* 0x517C_C1B7_2722_0A95 }
            var place = 0
            while place + 8 <= bytes.count {
                mix(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
                place += 8
            }
            for byte in bytes[place...] { mix(UInt64(byte)) }
            return sum
        }
    }
}
