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
// Version 1 had no first line.
extension TailPosition {
    private static let version: UInt8 = 2
    private static let fixedBytes = 42
    private static let oldFixedBytes = 34

    /// A compact form with a version, for the store.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.fixedBytes + 2 + head.count + tail.count)
        bytes.append(Self.version)
        bytes.append(isMissing ? 1 : 0)
        let numbers = [UInt64(bitPattern: Int64(generation)), UInt64(bitPattern: offset), firstLine]
        for value in [device, inode] + numbers {
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: value >> shift))
            }
        }
        for part in [head, tail] {
            bytes.append(UInt8(min(part.count, Self.fingerprintBytes)))
            bytes += part.prefix(Self.fingerprintBytes)
        }
        return bytes
    }

    /// The position that `encoded` was made of; `nil` for anything else.
    package init?(encoded: [UInt8]) {
        guard let version = encoded.first, 1...Self.version ~= version else { return nil }
        let fixedBytes = version == 1 ? Self.oldFixedBytes : Self.fixedBytes
        guard encoded.count >= fixedBytes + 2, encoded[1] <= 1 else { return nil }
        isMissing = encoded[1] == 1
        device = Self.integer(encoded, at: 2)
        inode = Self.integer(encoded, at: 10)
        generation = Int(Int64(bitPattern: Self.integer(encoded, at: 18)))
        offset = Int64(bitPattern: Self.integer(encoded, at: 26))
        if version > 1 { firstLine = Self.integer(encoded, at: 34) }
        guard generation >= 0, offset >= 0, let (first, afterHead) = Self.part(encoded, at: fixedBytes),
            let (last, end) = Self.part(encoded, at: afterHead), end == encoded.count,
            first.count <= offset, last.count <= offset
        else { return nil }
        head = first
        tail = last
    }

    private static func integer(_ bytes: [UInt8], at start: Int) -> UInt64 {
        bytes[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
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
