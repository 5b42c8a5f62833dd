/// The elements of an array that was scanned, in their order; none for any other value.
struct JSONElements: IteratorProtocol {
    private var scanner: JSONScanner

    init(_ array: JSONSlice, _ base: UnsafePointer<UInt8>) {
        let isArray = array.kind == .array
        // Its brackets are left out.
        scanner = JSONScanner(
            base: base, count: isArray ? Int(array.end) - 1 : 0, index: isArray ? Int(array.start) + 1 : 0)
    }

    mutating func next() -> JSONSlice? {
        scanner.skipSpaces()
        if scanner.index < scanner.count, scanner.base[scanner.index] == UInt8(ascii: ",") {
            scanner.index += 1
            scanner.skipSpaces()
        }
        let value = scanner.scanValue()
        return value.kind == .missing ? nil : value
    }
}
