import Foundation
import RalphServer

/// The files that the code is written to besides the terminal.
///
/// They are opened before a ticket is asked for: none is to be spent where its code cannot be written.
struct CodePictures {
    private let png: PictureFile?
    private let svg: PictureFile?

    /// - Throws: ``CommandProblem`` for a file that cannot be written to; nothing is left behind then.
    init(png: String?, svg: String?) throws {
        let first = try png.map { try PictureFile("--png", $0) }
        do {
            self.svg = try svg.map { try PictureFile("--svg", $0) }
        } catch {
            first?.discard()
            throw error
        }
        self.png = first
    }

    /// - Throws: ``CommandProblem``.
    func write(_ code: QRCode) throws {
        if let png { try png.fill(with: code.png) }
        if let svg { try svg.fill(with: Array(code.svg.utf8)) }
    }

    /// There will be no code: takes away what was made for it.
    func discard() {
        png?.discard()
        svg?.discard()
    }
}

/// A file that is open for a picture. One that was there before stays as it is until there is a picture.
private final class PictureFile {
    private let option: String
    private let path: String
    private let descriptor: Int32
    private let isNew: Bool

    /// - Parameter option: what named the file.
    /// - Throws: ``CommandProblem`` if it cannot be written to.
    init(_ option: String, _ path: String) throws(CommandProblem) {
        var descriptor = open(path, O_WRONLY | O_CLOEXEC)
        let isNew = descriptor < 0 && errno == ENOENT
        if isNew { descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
        guard descriptor >= 0 else { throw Self.problem(option, path, errno) }
        (self.option, self.path) = (option, path)
        (self.descriptor, self.isNew) = (descriptor, isNew)
    }

    deinit { close(descriptor) }

    /// Puts `bytes` in the place of all that the file holds.
    ///
    /// - Throws: ``CommandProblem``.
    func fill(with bytes: [UInt8]) throws(CommandProblem) {
        // A pipe or a device has no length (ftruncate(2)).
        guard ftruncate(descriptor, 0) == 0 || errno == EINVAL else {
            throw Self.problem(option, path, errno)
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.problem(option, path, errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Takes the file away if it was made for the picture.
    func discard() {
        if isNew { unlink(path) }
    }

    private static func problem(_ option: String, _ path: String, _ code: Int32) -> CommandProblem {
        CommandProblem("\(option) \(path): \(String(cString: strerror(code))).")
    }
}
