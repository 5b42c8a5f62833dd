/// What one value of a YAML text holds, aliases followed.
struct YAMLExtent {
    /// So many bytes of a scalar take as long as one value, where characters have to be put in order first (Unicode's
    /// normalization); of others it is more.
    private static let bytesPerLook = 4.0

    /// A list or a map without members.
    static let emptyCollection = YAMLExtent(bytes: 0, depth: 1, looks: 1)

    /// Itself and all values in it.
    private(set) var values = 1
    /// Those of the scalars among them.
    private(set) var bytes: Int
    /// Levels of lists and maps; 0: a scalar.
    private(set) var depth: Int
    /// What is looked at to hash it, or to find it equal to another value: values, and bytes of scalars.
    private(set) var looks: Double
    /// What is looked at to find out whether it goes before another value: members are compared both ways, and theirs both
    /// ways each time, so that it doubles with each level; infinite where it is that much.
    private(set) var orderLooks: Double

    private init(bytes: Int, depth: Int, looks: Double) {
        self.bytes = bytes
        self.depth = depth
        self.looks = looks
        orderLooks = looks
    }

    static func scalar(bytes: Int) -> YAMLExtent {
        YAMLExtent(bytes: bytes, depth: 0, looks: 1 + Double(bytes) / bytesPerLook)
    }

    mutating func add(_ member: YAMLExtent) {
        values += member.values
        bytes += member.bytes
        depth = max(depth, member.depth + 1)
        looks += member.looks
        orderLooks += 2 * member.orderLooks
    }
}
