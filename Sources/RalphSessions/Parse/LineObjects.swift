/// The JSON objects of a line, for whoever reads a few lines and no more.
package enum LineObjects {
    /// The text of each object of `line`, which is without its LF, in order. They are those that the tail
    /// reads: NULs before them are left out, see ``LineScan`` for the rest.
    package static func texts(in line: [UInt8]) -> [[UInt8]] {
        line.withUnsafeBytes { bytes in
            var texts: [[UInt8]] = []
            var members: [JSONMember] = []
            var scan = LineScan(LineText.withoutLeadingNULs(bytes))
            while scan.next(&members) {
                let start = scan.base + scan.object.lowerBound
                texts.append(Array(UnsafeBufferPointer(start: start, count: scan.object.count)))
            }
            return texts
        }
    }
}
