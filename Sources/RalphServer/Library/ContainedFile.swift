import Foundation
import RalphSessions

/// Opening what lies in a directory, and nothing that links lead to outside of it.
///
/// The path is resolved first, and then walked again, one component after the other, without following any link
/// (``DirectPath``): what was checked is what is opened, whatever is swapped in between.
enum ContainedFile {
    /// What became of opening or reading.
    enum Outcome<Value> {
        case found(Value)
        /// Nothing is there, it is of another kind, or it may not be read.
        case missing
        /// A link leads out of the directory.
        case outside
        case tooLarge
    }

    /// Runs `body` with a descriptor of the regular file, or of the directory, at `path`.
    ///
    /// - Parameter place: neither a link out of its base nor one to a hidden file or another kind of file is
    ///   followed.
    static func open<Value>(
        _ path: String, in place: LibraryPlace, _ kind: EntryStatus.Kind, _ body: (Int32) -> Outcome<Value>
    ) -> Outcome<Value> {
        guard let real = path.canonicalPath else { return .missing }
        guard place.allows(real, as: path, kind) else { return .outside }
        // O_NONBLOCK: opening a FIFO must not wait for its other end.
        let descriptor = DirectPath.open(
            real, O_RDONLY | (kind == .directory ? O_DIRECTORY : O_NONBLOCK | O_NOCTTY))
        guard descriptor >= 0 else { return .missing }
        defer { close(descriptor) }
        guard EntryStatus(descriptor: descriptor)?.kind == kind else { return .missing }
        return body(descriptor)
    }

    /// The content of the regular file at `path`.
    ///
    /// - Parameter isCut: whether a larger file gives its beginning.
    static func read(
        _ path: String, in place: LibraryPlace, maximumBytes: Int, isCut: Bool = false
    ) -> Outcome<(bytes: [UInt8], status: EntryStatus)> {
        open(path, in: place, .file) { descriptor in
            guard let status = EntryStatus(descriptor: descriptor) else { return .missing }
            guard isCut || status.size <= Int64(maximumBytes) else { return .tooLarge }
            // One byte more tells of a file that grows.
            guard let bytes = BoundedFile.content(descriptor, maximumBytes: maximumBytes + 1) else {
                return .missing
            }
            guard bytes.count > maximumBytes else { return .found((bytes, status)) }
            return isCut ? .found((Array(bytes.prefix(maximumBytes)), status)) : .tooLarge
        }
    }
}
