/// A JSON object that a client sent, read as strictly as Ralph's lines; members are looked up by name.
///
/// Of equal names the last one counts; of more than 256 members the first 256 are kept.
package struct JSONObject: Sendable {
    /// What a member is.
    package enum Value: Sendable, Equatable {
        case string(String)
        /// 0 … 10¹⁸ - 1; also one that is spelled as a fraction, such as `3.0`, up to 2⁵³.
        case integer(Int)
        /// Any other number.
        case number
        case bool(Bool)
        case null
        /// An object or an array.
        case container
    }

    /// Why bytes are not read.
    package enum Refusal: Error, Sendable {
        /// They are not one JSON object with nothing but white space around it.
        case noObject
        /// It is nested deeper than ``JSONObject/maximumDepth``.
        case tooDeep
    }

    /// Containers inside each other, the object itself included.
    package static let maximumDepth = JSONScanner.maximumDepth

    /// A number for every reader; those that round as they go may take the largest doubles for none.
    package static let largestNumber = 1e308

    private let bytes: [UInt8]
    private let members: [String: JSONSlice]

    /// `nil` for whatever ``init(reading:)`` refuses.
    package init?(_ bytes: [UInt8]) {
        // The reason is not asked for.
        guard let object = try? JSONObject(reading: bytes) else { return nil }
        self = object
    }

    /// Reads `bytes`, without recursion: they may be nested however they like.
    package init(reading bytes: [UInt8]) throws(Refusal) {
        guard !bytes.isEmpty, bytes.count < Int(Int32.max) else { throw .noObject }
        members = try bytes.withUnsafeBufferPointer { buffer throws(Refusal) in
            guard let base = buffer.baseAddress else { throw .noObject }
            return try Self.members(base, buffer.count)
        }
        self.bytes = bytes
    }

    private static func members(
        _ base: UnsafePointer<UInt8>, _ count: Int
    ) throws(Refusal) -> [String: JSONSlice] {
        var found: [JSONMember] = []
        var scanner = JSONScanner(base: base, count: count)
        scanner.skipSpaces()
        guard scanner.scanObject(into: &found) else { throw scanner.isTooDeep ? .tooDeep : .noObject }
        scanner.skipSpaces()
        guard scanner.index == count else { throw .noObject }
        return Dictionary(
            found.map { ($0.key.string(base, limit: .max) ?? "", $0.value) }, uniquingKeysWith: { $1 })
    }

    /// What the member `name` is; `nil`: there is none.
    package func value(_ name: String) -> Value? {
        guard let slice = members[name] else { return nil }
        return bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return nil }
            switch slice.kind {
            case .string: return .string(slice.string(base, limit: .max) ?? "")
            case .integer: return slice.integer(base).map(Value.integer) ?? .number
            case .number: return slice.number(base).flatMap(Self.whole).map(Value.integer) ?? .number
            case .bool: return .bool(slice.spells("true", base))
            case .null: return .null
            case .object, .array: return .container
            case .missing: return nil
            }
        }
    }

    /// JSON has one kind of numbers: `3.0` is the same as `3`.
    private static func whole(_ number: Double) -> Int? {
        (0...9_007_199_254_740_992).contains(number) && number == number.rounded() ? Int(number) : nil
    }

    /// The member `name` as compact JSON text, made safe for all readers; `nil`: there is none. A number beyond
    /// ``largestNumber`` becomes a string.
    package func text(of name: String) -> String? { text(of: name, largest: Self.largestNumber) }

    /// Whether the member `name` holds a number beyond ``largestNumber``.
    package func holdsLargerNumber(_ name: String) -> Bool {
        text(of: name) != text(of: name, largest: .infinity)
    }

    private func text(of name: String, largest: Double) -> String? {
        guard let slice = members[name] else { return nil }
        var text: [UInt8] = []
        bytes.withUnsafeBufferPointer { buffer in
            if let base = buffer.baseAddress { slice.appendValue(base, largest: largest, to: &text) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
