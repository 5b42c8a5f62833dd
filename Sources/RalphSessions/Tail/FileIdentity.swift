/// Which file something is: the same numbers mean the same file as long as it exists (stat(2)).
package struct FileIdentity: Sendable, Hashable {
    var device: UInt64
    var inode: UInt64

    /// Of no file at all.
    static let none = FileIdentity(device: 0, inode: 0)

    init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    package init(_ status: EntryStatus) { self.init(device: status.device, inode: status.inode) }
}
