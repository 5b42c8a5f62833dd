/// A file that is listed, and what it hides.
struct LibraryItem: Sendable {
    let file: LibraryFile
    /// Absolute paths of the files of the same name that come after it.
    var shadows: [String] = []
}
