import Foundation

/// A file beside a store that says to the next start: it was found damaged while it was in use.
///
/// It is another name of the file that is meant (link(2)): a good one may be in its place by then, and while the mark is
/// there, no other file has its number.
struct DamageMark {
    /// What the name of the store is followed by in that of the mark.
    static let suffix = ".damaged"

    private let store: String
    private var path: String { store + Self.suffix }

    init(of store: String) { self.store = store }

    /// Whether there is one that may be of the file at the store's path. An empty one counts: earlier versions made such
    /// ones, and so does ``set(of:)`` where files have no second names.
    var isSet: Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        guard status.st_size > 0, let file = StoreInode(at: store) else { return true }
        return StoreInode(at: path) == file
    }

    /// Marks the file at the store's path, unless it is another one than `file`; `nil`: whichever it is.
    func set(of file: StoreInode?) {
        // A good one may have been put in its place.
        guard file == nil || StoreInode(at: store) == file else { return }
        guard link(store, path) != 0, errno != EEXIST else { return }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Takes it away, if there is one.
    func remove() { unlink(path) }
}
