import RalphWire

/// Names a paired device: 12 hexadecimal digits, never used again.
package struct DeviceID: Sendable, Hashable, Codable, CustomStringConvertible {
    package let text: String

    /// `nil` for anything else.
    package init?(_ text: some StringProtocol) {
        guard Hexadecimal.isDigits(text, count: 12) else { return nil }
        self.text = text.lowercased()
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = DeviceID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no device id")
        }
        self = id
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    package var description: String { text }
}
