/// A list or a map of a YAML text whose end has not come yet.
struct OpenCollection {
    let isMap: Bool
    /// The name that aliases call it by, once it has ended.
    let anchor: String?
    /// It and its members up to now.
    private(set) var extent = YAMLExtent.emptyCollection
    /// Of a map: its keys and its values.
    private var members = 0
    /// Keys that are lists, maps or aliases, and what they hold. Scalars that are spelled where they are keys cost no more than
    /// the text is long.
    private var costlyKeys = 0
    private var keyLooks = 0.0
    private var keyOrderLooks = 0.0

    init(isMap: Bool, anchor: String?) {
        self.isMap = isMap
        self.anchor = anchor
    }

    /// - Parameter isSpelledScalar: whether the member is a scalar, and no alias of one.
    mutating func add(_ member: YAMLExtent, isSpelledScalar: Bool) {
        if isMap, members.isMultiple(of: 2), !isSpelledScalar {
            costlyKeys += 1
            keyLooks += member.looks
            keyOrderLooks += member.orderLooks
        }
        members += 1
        extent.add(member)
    }

    /// What the parser looks at to tell the keys apart, when the map ends.
    ///
    /// It puts them into a hash table: each is hashed twice when it gets in and once whenever the table doubles, and is compared
    /// with those few that it meets there. Of keys that are there twice it makes an ordered list: there each meets some 100 others.
    var keyWork: Double {
        guard costlyKeys > 0 else { return 0 }
        let last = members / 2 - 1
        let doublings = last.bitWidth - last.leadingZeroBitCount
        let inTable = keyLooks * Double(2 + 3 * doublings)
        return costlyKeys < 4 ? inTable : inTable + keyOrderLooks * Double(min(costlyKeys, 100))
    }
}
