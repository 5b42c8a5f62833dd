extension QRCode {
    /// Pixels on a side of a module in ``png``.
    private static let pixels = 8

    /// The code as a PNG picture, black on white with its quiet zone.
    package var png: [UInt8] {
        let side = (size + 2 * Self.quietZone) * Self.pixels
        return BlackAndWhitePNG.encode(width: side, height: side) { row, column in
            !isDark(row / Self.pixels - Self.quietZone, column / Self.pixels - Self.quietZone)
        }
    }
}
