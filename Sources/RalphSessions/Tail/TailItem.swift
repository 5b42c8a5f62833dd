/// What reading a file yields, in the order of the file.
enum TailItem {
    /// A line without its LF and without NULs before it; never blank. Valid during the call only.
    ///
    /// `offset` is where its first byte lies.
    case line(UnsafeRawBufferPointer, offset: Int64)
    /// A line longer than ``TailLimits/maximumLineBytes``: `bytes` without its LF.
    case overlongLine(bytes: Int64, offset: Int64)
    /// The content of the file is no longer what was read.
    case change(TailChange)
    /// The file went away before its last line was finished: `bytes` of it were seen and are lost.
    case lostLine(bytes: Int64, offset: Int64)
}
