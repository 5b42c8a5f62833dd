/// How many bytes of texts one list may still repeat from files: aliases make very much of a small one.
struct ListRoom {
    private var bytes = LibraryLimits.textBytesPerList

    /// Whether something found no room; from then on nothing does, so that it is the last that is left out.
    var isFull: Bool { bytes < 0 }

    /// Takes room for so many bytes, and tells whether there was.
    mutating func takes(_ size: Int) -> Bool {
        if !isFull { bytes -= size }
        return !isFull
    }
}
