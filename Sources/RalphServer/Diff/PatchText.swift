/// A unified diff that may have been cut by a bound.
enum PatchText {
    private static let fileStart = Array("\ndiff --".utf8)

    /// The whole files at the beginning of a cut patch; of a single one its whole lines.
    static func cut(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        var end = bytes.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        var index = bytes.count - fileStart.count
        while index > 0 {
            if bytes[index] == 0x0A, bytes[index..<(index + fileStart.count)].elementsEqual(fileStart) {
                end = index + 1
                break
            }
            index -= 1
        }
        return bytes[..<end]
    }
}
