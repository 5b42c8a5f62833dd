import CQRencode

/// A QR code (ISO/IEC 18004) as its modules, which are dark or light. Drawn in the forms of `QRCode+….swift`.
package struct QRCode: Sendable, Equatable {
    /// Bytes that are encoded at most: what the largest code holds at the lowest level of correction.
    package static let maximumBytes = 2953
    /// Light modules that a code needs on every side to be found.
    static let quietZone = 4

    /// Modules on a side, 21 … 177.
    package let size: Int
    /// Row by row from the top.
    private let modules: [Bool]

    /// The smallest code for `text`, with the lowest correction: it is read from a screen, not from a wall.
    ///
    /// `nil` if it is empty or too long.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (1...Self.maximumBytes).contains(bytes.count),
            let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_L)
        else { return nil }
        defer { QRcode_free(code) }
        size = Int(code.pointee.width)
        // The lowest bit of each byte says whether the module is dark.
        modules = UnsafeBufferPointer(start: code.pointee.data, count: size * size).map { $0 & 1 == 1 }
    }

    /// Whether the module in `column` of `row` is dark; those outside are light.
    package func isDark(_ row: Int, _ column: Int) -> Bool {
        guard (0..<size).contains(row), (0..<size).contains(column) else { return false }
        return modules[row * size + column]
    }
}
