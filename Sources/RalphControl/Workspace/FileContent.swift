/// What a file held.
package struct FileContent: Sendable, Equatable {
    package let bytes: [UInt8]
    /// When it was changed, milliseconds since 1970; `nil`: there is no such file.
    package let modified: Int64?

    package init(bytes: [UInt8], modified: Int64?) {
        self.bytes = bytes
        self.modified = modified
    }

    /// `nil`: it is no UTF-8.
    package var text: String? { String(validating: bytes, as: UTF8.self) }

    static let missing = FileContent(bytes: [], modified: nil)
}
