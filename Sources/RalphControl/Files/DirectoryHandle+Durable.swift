import Foundation

/// Replacing what people and Ralph rely on.
extension DirectoryHandle {
    /// Where the link `name` leads, as it is spelled; `nil`: it is no link.
    func linkTarget(_ name: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = buffer.withUnsafeMutableBytes { memory in
            memory.baseAddress.map {
                readlinkat(descriptor, name, $0.assumingMemoryBound(to: CChar.self), memory.count)
            } ?? -1
        }
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }

    /// What the system says of `name` itself; `nil`: it is not there.
    func status(of name: String) -> stat? {
        var status = stat()
        return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    /// Gives the regular file `name` the content `bytes` in one step that a crash cannot halve: a new file is
    /// written and synchronised, then renamed over the old one (rename(2), fsync(2)).
    ///
    /// Mode and owner stay, or are those of `model`; without one a new file may be read by whoever may read the directory. Its time of change is later than the old one's by a
    /// millisecond or more, however coarse the file system's clock is.
    /// - Parameter old: the file as `bytes` were made for it; `nil`: there was none.
    /// - Returns: the time of its change, milliseconds since 1970.
    /// - Throws: the old file is as it was then; ``ControlError/superseded`` if somebody has changed or replaced it
    ///   since it was `old`.
    func replaceDurably(
        _ name: String, _ old: stat?, with bytes: [UInt8], like model: stat? = nil
    ) throws(ControlError) -> Int64 {
        if let old, old.st_mode & S_IFMT != S_IFREG { throw .unsafePath(path + "/" + name) }
        var new = stat()
        var isOvertaken = false
        do throws(ControlError) {
            try install(name) { file in
                guard
                    Self.writeAll(bytes, to: file), dress(file, like: old ?? model), fsync(file) == 0,
                    fstat(file, &new) == 0
                else { return false }
                // Synchronising may have been long.
                isOvertaken = !isStill(name, old)
                return !isOvertaken
            }
        } catch {
            throw isOvertaken ? .superseded : error
        }
        fsync(descriptor)  // the rename itself; the content is safe by now
        return Self.modified(new)
    }

    /// The same for whatever `name` is by now.
    @discardableResult
    func replaceDurably(
        _ name: String, with bytes: [UInt8], like model: stat? = nil
    ) throws(ControlError) -> Int64 {
        try replaceDurably(name, status(of: name), with: bytes, like: model)
    }

    /// Whether `name` is the file that it was, and as it was.
    private func isStill(_ name: String, _ old: stat?) -> Bool {
        let now = status(of: name)
        return now?.st_ino == old?.st_ino && now?.st_size == old?.st_size
            && now.map(Self.modified) == old.map(Self.modified)
    }

    /// Removes what writers of `name` left that died before their rename: `.<name>.<pid>-<number>.tmp`.
    func removeLeftovers(of name: String) {
        let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let stream = fdopendir(copy) else { return }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let found = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard found.hasPrefix(".\(name)."), found.hasSuffix(".tmp"),
                let pid = Int32(found.dropFirst(name.utf8.count + 2).prefix { $0 != "-" }), pid > 0,
                kill(pid, 0) != 0, errno == ESRCH
            else { continue }
            unlinkat(descriptor, found, 0)
        }
    }

    /// Mode, owner and a later time.
    private func dress(_ file: Int32, like old: stat?) -> Bool {
        guard let old else { return share(file) }
        guard fchmod(file, old.st_mode & 0o7777) == 0 else { return false }
        // Only root may give files away; anybody else's file becomes ours, as with every editor.
        if geteuid() == 0, fchown(file, old.st_uid, old.st_gid) != 0 { return false }
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var time = Self.changed(old)
        time.tv_nsec += 1_000_000
        if time.tv_nsec >= 1_000_000_000 {
            time.tv_sec += 1
            time.tv_nsec -= 1_000_000_000
        }
        if (now.tv_sec, now.tv_nsec) > (time.tv_sec, time.tv_nsec) { time = now }
        return futimens(file, [time, time]) == 0
    }

    /// Lets whoever may read this directory read something new in it: our own mask is for our own files, and would
    /// hide a workspace's from those whom its owner shares it with.
    ///
    /// - Parameter isDirectory: whether they may also look into it.
    @discardableResult
    func share(_ new: Int32, isDirectory: Bool = false) -> Bool {
        var own = stat()
        guard fstat(descriptor, &own) == 0 else { return false }
        let mode: mode_t =
            isDirectory ? 0o700 | own.st_mode & 0o055 : 0o600 | own.st_mode & 0o044
        return fchmod(new, mode) == 0
    }

    /// When a file was changed, milliseconds since 1970.
    static func modified(_ status: stat) -> Int64 {
        let time = changed(status)
        return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000
    }

    private static func changed(_ status: stat) -> timespec {
        #if canImport(Darwin)
        status.st_mtimespec
        #else
        status.st_mtim
        #endif
    }
}
