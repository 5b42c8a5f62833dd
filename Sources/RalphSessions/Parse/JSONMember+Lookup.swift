import RalphWire

/// Finding members by name; of equal names the last one counts.
extension [JSONMember] {
    /// The value of `key`, or `missing`.
    func value(_ key: StaticString, _ base: UnsafePointer<UInt8>) -> JSONSlice {
        last { $0.key.spells(key, base) && $0.value.kind != .missing }?.value ?? .missing
    }

    /// The value of `key`, or `missing`; every member of that name counts as used afterwards.
    mutating func take(_ key: StaticString, _ base: UnsafePointer<UInt8>) -> JSONSlice {
        let found = value(key, base)
        for index in indices where self[index].key.spells(key, base) { self[index].value = .missing }
        return found
    }

    /// ``take(_:_:)`` for a value that is a string; others stay.
    mutating func takeString(_ key: StaticString, _ base: UnsafePointer<UInt8>) -> JSONSlice {
        value(key, base).isString ? take(key, base) : .missing
    }

    /// ``take(_:_:)`` for a value that is an integer from 0; others stay, and -1 is the answer.
    mutating func takeInteger(_ key: StaticString, _ base: UnsafePointer<UInt8>) -> Int {
        guard let number = value(key, base).integer(base) else { return -1 }
        _ = take(key, base)
        return number
    }

    /// All members that are left as one object; they count as used afterwards.
    mutating func takeRest(_ base: UnsafePointer<UInt8>) -> [UInt8] {
        var object = JSONObjectText()
        for index in indices where self[index].value.kind != .missing {
            object.add(self[index], base)
            self[index].value = .missing
        }
        return object.finished
    }
}
