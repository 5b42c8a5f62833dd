import RalphWire

/// What a device is called: a text that is safe to show in a terminal and on a page.
struct DeviceName: Sendable, Equatable {
    let text: String

    /// - Throws: ``Problem`` 400 for an empty name, one of more than ``DeviceBook/maximumNameBytes`` bytes, and
    ///   one with control characters, line ends, or characters that turn the direction of writing.
    init(_ text: String) throws(Problem) {
        guard (1...DeviceBook.maximumNameBytes).contains(text.utf8.count) else {
            throw .invalidRequest("name must have 1 to \(DeviceBook.maximumNameBytes) bytes")
        }
        guard text.unicodeScalars.allSatisfy(Self.isShown) else {
            throw .invalidRequest("name must not contain control characters")
        }
        guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
            throw .invalidRequest("name must not be blank")
        }
        self.text = text
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: !scalar.properties.isBidiControl
        }
    }
}
