/// What a file held.
package struct FileContent: Sendable, Equatable {
    package let bytes: [UInt8]
    /// When it was changed, milliseconds since 1970; `nil`: there is no such file.
    package let modified: Int64?

    static let missing = FileContent(bytes: [], modified: nil)
}
