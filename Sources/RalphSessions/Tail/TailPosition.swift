import Foundation

/// What is known of how far one file was read, and what it looked like there.
///
/// A file is recognised by its content more than by its numbers: ``head`` and ``tail`` must still be
/// where they were, so that a file that was moved away and copied back goes on where it was left, and one
/// that was truncated and written anew does not.
package struct TailPosition: Sendable, Hashable {
    /// The most that ``head`` and ``tail`` hold, in bytes.
    package static let fingerprintBytes = 64

    package var device: UInt64 = 0
    /// 0: no file was seen yet.
    package var inode: UInt64 = 0
    /// Counts the times that the content began anew.
    package var generation = 0
    /// Just behind the last line consumed.
    package var offset: Int64 = 0
    /// The first bytes consumed.
    package var head: [UInt8] = []
    /// The last bytes before ``offset``.
    package var tail: [UInt8] = []
    /// Of the first line, see ``FirstSight/fingerprint(ofFirstLineIn:)``; 0: not known.
    package var firstLine: UInt64 = 0
    /// The file was gone when last looked for, and this was said.
    package var isMissing = false
    /// What was read before the file was cut to ``offset``, as long as it may come back.
    package var farthest: FarthestRead?
    /// What was read at the same path of other contents.
    package var earlier = EarlierContents()

    package init() {}

    var identity: FileIdentity {
        get { FileIdentity(device: device, inode: inode) }
        set { (device, inode) = (newValue.device, newValue.inode) }
    }
}

// The checkpoint's layout, integers little-endian:
//
//     version 1 | flags (bit 0: missing) | device 8 | inode 8 | generation 8 | offset 8 | first line 8
//     | length of head 1 | head | length of tail 1 | tail
//
// Version 1 had no first line. Of a file that was cut, version 3 adds what was read before:
//
//     generation 8 | offset 8 | first line 8 | time 8 | length of head 1 | head | length of tail 1 | tail
//
// Where other contents stood at the path, version 4 has the flag bit 1 instead if it was cut, and adds behind that
//
//     newest generation that was left 8 | how many 1 | each as what was read before a cut
//
// Others are of version 2 still, which earlier versions of the server read.
extension TailPosition {
    private static let version: UInt8 = 2
    private static let cutVersion: UInt8 = 3
    private static let earlierVersion: UInt8 = 4
    private static let fixedBytes = 42
    private static let oldFixedBytes = 34
    private static let farthestBytes = 32

    /// A compact form with a version, for the store.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.fixedBytes + 2 + head.count + tail.count)
        let others = earlier.contents
        let isCut = farthest != nil
        let hasOthers = earlier != EarlierContents()
        bytes.append(hasOthers ? Self.earlierVersion : isCut ? Self.cutVersion : Self.version)
        bytes.append((isMissing ? 1 : 0) | (isCut && hasOthers ? 2 : 0))
        let numbers = [UInt64(bitPattern: Int64(generation)), UInt64(bitPattern: offset), firstLine]
        Self.append([device, inode] + numbers, [head, tail], to: &bytes)
        if let farthest { Self.append(farthest, to: &bytes) }
        if hasOthers {
            Self.append([UInt64(bitPattern: Int64(earlier.newestGeneration))], [], to: &bytes)
            bytes.append(UInt8(others.count))
        }
        for content in others { Self.append(content, to: &bytes) }
        return bytes
    }

    private static func append(_ read: FarthestRead, to bytes: inout [UInt8]) {
        let generation = UInt64(bitPattern: Int64(read.generation))
        let numbers = [generation, UInt64(bitPattern: read.offset), read.firstLine]
        append(numbers + [UInt64(bitPattern: read.time)], [read.head, read.tail], to: &bytes)
    }

    private static func append(_ numbers: [UInt64], _ parts: [[UInt8]], to bytes: inout [UInt8]) {
        for value in numbers {
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: value >> shift))
            }
        }
        for part in parts {
            bytes.append(UInt8(min(part.count, fingerprintBytes)))
            bytes += part.prefix(fingerprintBytes)
        }
    }

    /// The position that `encoded` was made of; `nil` for anything else.
    package init?(encoded: [UInt8]) {
        guard let version = encoded.first, 1...Self.earlierVersion ~= version else { return nil }
        let fixedBytes = version == 1 ? Self.oldFixedBytes : Self.fixedBytes
        guard encoded.count >= fixedBytes + 2, encoded[1] <= (version == Self.earlierVersion ? 3 : 1) else {
            return nil
        }
        isMissing = encoded[1] & 1 == 1
        device = Self.integer(encoded, at: 2)
        inode = Self.integer(encoded, at: 10)
        generation = Int(Int64(bitPattern: Self.integer(encoded, at: 18)))
        offset = Int64(bitPattern: Self.integer(encoded, at: 26))
        if version > 1 { firstLine = Self.integer(encoded, at: 34) }
        guard generation >= 0, offset >= 0,
            let (first, last, next) = Self.parts(encoded, at: fixedBytes, before: offset)
        else { return nil }
        (head, tail) = (first, last)
        var end = next
        if version == Self.cutVersion || encoded[1] & 2 != 0 {
            guard let (farthest, next) = Self.read(encoded, at: end), farthest.offset > offset else {
                return nil
            }
            (self.farthest, end) = (farthest, next)
        }
        if version == Self.earlierVersion {
            guard let (earlier, next) = Self.earlierPart(encoded, at: end) else { return nil }
            (self.earlier, end) = (earlier, next)
        }
        guard end == encoded.count else { return nil }
    }

    /// What stood at the path before, as it stands in `bytes` from `start` on, and where that ends.
    private static func earlierPart(_ bytes: [UInt8], at start: Int) -> (EarlierContents, end: Int)? {
        guard start + 8 < bytes.count, Int(bytes[start + 8]) <= EarlierContents.capacity else { return nil }
        let newest = Int(Int64(bitPattern: integer(bytes, at: start)))
        guard newest >= 0 else { return nil }
        var contents: [FarthestRead] = []
        var end = start + 9
        for _ in 0..<bytes[start + 8] {
            guard let (content, next) = read(bytes, at: end), content.offset > 0 else { return nil }
            contents.append(content)
            end = next
        }
        return (EarlierContents(contents, newestGeneration: newest), end)
    }

    /// What was read of another content, as it stands in `bytes` from `start` on, and where that ends.
    private static func read(_ bytes: [UInt8], at start: Int) -> (FarthestRead, end: Int)? {
        guard bytes.count >= start + farthestBytes + 2 else { return nil }
        var farthest = FarthestRead()
        farthest.generation = Int(Int64(bitPattern: integer(bytes, at: start)))
        farthest.offset = Int64(bitPattern: integer(bytes, at: start + 8))
        farthest.firstLine = integer(bytes, at: start + 16)
        farthest.time = Int64(bitPattern: integer(bytes, at: start + 24))
        guard farthest.generation >= 0,
            let (head, tail, end) = parts(bytes, at: start + farthestBytes, before: farthest.offset)
        else { return nil }
        (farthest.head, farthest.tail) = (head, tail)
        return (farthest, end)
    }

    private static func integer(_ bytes: [UInt8], at start: Int) -> UInt64 {
        bytes[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The head and the tail of what was read up to `offset`.
    private static func parts(
        _ bytes: [UInt8], at start: Int, before offset: Int64
    ) -> (head: [UInt8], tail: [UInt8], end: Int)? {
        guard let (head, afterHead) = part(bytes, at: start), let (tail, end) = part(bytes, at: afterHead),
            head.count <= offset, tail.count <= offset
        else { return nil }
        return (head, tail, end)
    }

    private static func part(_ bytes: [UInt8], at start: Int) -> (bytes: [UInt8], end: Int)? {
        guard start < bytes.count, bytes[start] <= fingerprintBytes else { return nil }
        let end = start + 1 + Int(bytes[start])
        return end <= bytes.count ? (Array(bytes[start + 1..<end]), end) : nil
    }
}

extension TailPosition {
    /// How far the output of a run at `path` was read, as a session's stored checkpoints tell; `nil`: they do
    /// not.
    package static func bytesRead(
        ofOutput path: String, of directory: SessionDirectory, in checkpoints: [String: [UInt8]]
    ) -> Int64? {
        let key = TailSource(agent: path, of: directory).key
        return checkpoints[key].flatMap { TailPosition(encoded: $0) }?.offset
    }
}

extension TailPosition {
    /// Where the sizes that files had at first sight are among the checkpoints; no file is called so.
    static let firstSizesKey = "archive/"

    /// How many bytes of each file lie before its first sight, as a session's stored checkpoints tell: of one that is not
    /// followed all that it had, of one that is those that were not read. Empty where they do not. Among them are
    /// fingerprints, under keys that are no file's (``FirstSight/Marks``).
    package static func firstSizes(in checkpoints: [String: [UInt8]]) -> [String: Int64] {
        // One of a later version says nothing: these files are told whole where one is pointed to.
        checkpoints[firstSizesKey].flatMap { try? JSONDecoder().decode([String: Int64].self, from: Data($0)) }
            ?? [:]
    }
}
