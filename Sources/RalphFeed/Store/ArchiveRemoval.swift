/// How far the removal of the rows has come that tell where the events of a file lie that is gone for good.
///
/// It can be begun anew at any time: what it has removed it does not meet again.
struct ArchiveRemoval: Sendable {
    /// The session's key.
    let session: Int64
    let file: String
    /// The first row that it has not looked at.
    var next: Int64
    /// Whether the last row before that is of no file, so that it stands for those behind it.
    var isBehindNone: Bool
    /// Whether it has looked at all rows that there are.
    var isOver = false
}
