import CRalphProcess
import Foundation
import RalphSessions

/// Appends rows to the events file that the session's runs write to now.
///
/// A row is one write(2) of line feed, row, line feed on an `O_APPEND` descriptor: Ralph's own emitter writes a
/// row and its line feed separately, so that ours could be glued to it. Blank lines are skipped by every reader
/// (contract 2.4). A row that a full disk cut off is taken back: Ralph's next one would be glued to it and lost, and half a
/// character would keep it from reading the file at all.
struct EventsFileWriter {
    let directory: SessionDirectory

    init(_ directory: SessionDirectory) { self.directory = directory }

    /// Appends `row`, a JSON object in one line.
    ///
    /// - Throws: ``ControlError/unsafePath(_:)`` if the pointer or a link leads out of the workspace,
    ///   ``ControlError/unwritable(path:reason:)``, with the file as it was.
    func append(_ row: [UInt8]) throws(ControlError) {
        let place = try place()
        let file = try place.directory.openFile(place.name, O_WRONLY | O_APPEND | O_CREAT)
        defer { close(file) }
        var bytes: [UInt8] = [0x0A]
        bytes.reserveCapacity(row.count + 2)
        bytes += row
        bytes.append(0x0A)
        try reserve(bytes.count, in: file, at: place.path)
        let size = Self.size(of: file)
        var count = -1
        repeat {
            count = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        } while count < 0 && errno == EINTR
        guard count >= 0 else { throw ControlError(errno: errno, path: place.path) }
        guard count == bytes.count else {
            // Unless somebody else has written meanwhile.
            if let size, Self.size(of: file) == size + Int64(count) { ftruncate(file, off_t(size)) }
            throw .unwritable(path: place.path, reason: "only \(count) of \(bytes.count) bytes were taken")
        }
    }

    /// Has the disk keep room for `count` bytes behind the end of `file`, where it can.
    private func reserve(_ count: Int, in file: Int32, at path: String) throws(ControlError) {
        guard let size = Self.size(of: file) else { return }
        let code = ralph_reserve(file, size, Int64(count))
        if code == ENOSPC || code == EDQUOT { throw ControlError(errno: code, path: path) }
    }

    private static func size(of file: Int32) -> Int64? {
        var status = stat()
        return fstat(file, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// Reads the lines of the current events file from the end; `false` without a file.
    ///
    /// - Parameter body: gets one line after the other, newest first, until it gives `false`.
    func linesFromEnd(
        maximumBytes: Int64, _ body: ([UInt8]) -> Bool
    ) throws(ControlError) -> Bool {
        let place: Place
        do {
            place = try self.place()
        } catch {
            if case .unwritable = error { return false }
            throw error
        }
        guard place.directory.holds(place.name) else { return false }
        let file = try place.directory.openFile(place.name, O_RDONLY)
        defer { close(file) }
        var lines = BackwardLines(file, maximumBytes: maximumBytes)
        while let line = lines.next(), body(line) {}
        return true
    }

    // MARK: Where

    /// An events file: the open directory that holds it, and its name there.
    private struct Place {
        let directory: DirectoryHandle
        let name: String
        var path: String { directory.path + "/" + name }
    }

    private func place() throws(ControlError) -> Place {
        let path = try currentPath()
        guard let parts = path.pathParts else { throw .unsafePath(path) }
        let handle = try DirectoryHandle(parts.parent, inside: [directory.workspace, directory.path])
        return Place(directory: handle, name: parts.name)
    }

    /// The current events file, which need not be there yet if a pointer names it.
    func currentPath() throws(ControlError) -> String {
        let handle = try ControlFiles(directory).handle()
        var names = [SessionDirectory.plainEventsName]
        switch directory.layout {
        case .unknown: throw .readOnly
        case .agent: break
        case .nested: names.insert(SessionDirectory.nestedEventsName, at: 0)
        case .ralph:
            if handle.holds(SessionDirectory.pointerName) { return try pointedPath(handle) }
        }
        guard let name = names.first(where: handle.holds) else {
            throw .unwritable(path: directory.path, reason: "there is no events file yet")
        }
        return directory.file(name)
    }

    private func pointedPath(_ handle: DirectoryHandle) throws(ControlError) -> String {
        let bytes = handle.content(of: SessionDirectory.pointerName, maximumBytes: 4096)
        guard let bytes else {
            // Opening it says why.
            close(try handle.openFile(SessionDirectory.pointerName, O_RDONLY))
            throw .unsafePath(directory.pointerFile)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard !SessionDirectory.trimmed(text).isEmpty else {
            throw .unwritable(path: directory.pointerFile, reason: "it is being written")
        }
        guard let path = directory.eventsPath(pointer: text) else { throw .unsafePath(directory.pointerFile) }
        return path
    }
}
