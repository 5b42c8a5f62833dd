/// A JSON object that a client sent, read as strictly as Ralph's lines; members are looked up by name.
///
/// Of equal names the last one counts. Nested deeper than 128, it is none; of more than 256 members the first
/// 256 are kept.
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

    private let bytes: [UInt8]
    private var members: [String: JSONSlice] = [:]

    /// `nil` unless `bytes` are one JSON object and nothing but white space around it.
    package init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        guard bytes.count < Int(Int32.max) else { return nil }
        var found: [JSONMember] = []
        let members: [String: JSONSlice]? = bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return nil }
            var scanner = JSONScanner(base: base, count: buffer.count)
            scanner.skipSpaces()
            guard scanner.scanObject(into: &found) else { return nil }
            scanner.skipSpaces()
            guard scanner.index == buffer.count else { return nil }
            return Dictionary(
                found.map { ($0.key.string(base, limit: .max) ?? "", $0.value) }, uniquingKeysWith: { $1 })
        }
        guard let members else { return nil }
        self.members = members
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

    /// The member `name` as compact JSON text, made safe for all clients; `nil`: there is none.
    package func text(of name: String) -> String? {
        guard let slice = members[name] else { return nil }
        var text: [UInt8] = []
        bytes.withUnsafeBufferPointer { buffer in
            if let base = buffer.baseAddress { slice.appendValue(base, to: &text) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
