/// The fields of an output in which each has a NUL behind it; a last one without it was cut and is none.
struct NULFields: IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    init(_ output: [UInt8]) { rest = output[...] }

    mutating func next() -> ArraySlice<UInt8>? {
        guard let end = rest.firstIndex(of: 0) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return rest[..<end]
    }
}
