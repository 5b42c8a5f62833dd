/// Writes PNG pictures (RFC 2083) of one bit a pixel, not compressed: what they show is small.
enum BlackAndWhitePNG {
    /// The file's bytes.
    ///
    /// - Parameter isWhite: the pixel of a row and a column.
    static func encode(width: Int, height: Int, isWhite: (_ row: Int, _ column: Int) -> Bool) -> [UInt8] {
        var rows: [UInt8] = []
        rows.reserveCapacity(height * (width / 8 + 2))
        for row in 0..<height {
            rows.append(0)  // no filter
            for start in stride(from: 0, to: width, by: 8) {
                var byte: UInt8 = 0
                for column in start..<min(start + 8, width) where isWhite(row, column) {
                    byte |= 0x80 >> UInt8(column - start)
                }
                rows.append(byte)
            }
        }
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        // One bit, grey, deflate, no filter, not interlaced.
        append("IHDR", bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [1, 0, 0, 0, 0], to: &file)
        append("IDAT", stored(rows), to: &file)
        append("IEND", [], to: &file)
        return file
    }

    /// A chunk: length, name, contents, CRC of the name and the contents.
    private static func append(_ name: String, _ contents: [UInt8], to file: inout [UInt8]) {
        let checked = Array(name.utf8) + contents
        file += bigEndian(UInt32(contents.count)) + checked + bigEndian(crc32(checked))
    }

    /// `bytes` in zlib's form (RFC 1950) with stored blocks only (RFC 1951, 3.2.4).
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let largest = 65_535
        var result: [UInt8] = [0x78, 0x01]
        for start in stride(from: 0, to: bytes.count, by: largest) {
            let block = bytes[start..<min(start + largest, bytes.count)]
            let length = UInt16(block.count)
            result.append(block.endIndex == bytes.count ? 1 : 0)
            for half in [length, ~length] {
                result += [UInt8(truncatingIfNeeded: half), UInt8(truncatingIfNeeded: half >> 8)]
            }
            result += block
        }
        return result + bigEndian(adler32(bytes))
    }

    /// RFC 1950, 8.2.
    static func adler32(_ bytes: [UInt8]) -> UInt32 {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }

    /// RFC 2083, 15.
    static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ ($0 >> 8) }
    }

    private static let table: [UInt32] = (0..<256).map { start in
        (0..<8).reduce(UInt32(start)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}
