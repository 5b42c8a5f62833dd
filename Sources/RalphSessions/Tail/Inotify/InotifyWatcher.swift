#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The inotify(7) descriptor: adds and removes watches on directories, waits, and reads what happened.
///
/// Where there is no inotify, or no instance left of it, every request for a watch is refused and only
/// ``wait(milliseconds:)`` works; whoever asked then polls. Owned by one thread.
package final class InotifyWatcher {
    /// What became of the request for a watch.
    package enum Outcome: Equatable {
        /// Watched; the same directory always gets the same descriptor.
        case watching(Int32)
        /// No watch is left (`max_user_watches`, memory, our own limit), or inotify is not available.
        case refused
        /// The directory cannot be watched: it is gone, no directory, or may not be read.
        case failed(code: Int32)
    }

    /// Why there is no inotify at all; `nil` where there is.
    package let unavailableReason: String?
    /// How many watches are held.
    private(set) var count = 0

    /// How many watches the system gives one user, as far as it says so.
    static var systemLimit: Int {
        let text = BoundedFile.readSystemFile("/proc/sys/fs/inotify/max_user_watches", maximumBytes: 64)
        let limit = text.flatMap { Int(SessionDirectory.trimmed(String(decoding: $0, as: UTF8.self))) }
        return max(0, limit ?? .max)
    }

    private let descriptor: Int32
    private let wakeup: WatchWakeup
    private let maximumWatches: Int
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 8)

    /// - Parameter maximumWatches: refuse more than this many; `nil`: only the kernel's limit counts.
    package init(wakeup: WatchWakeup, maximumWatches: Int?) {
        self.wakeup = wakeup
        self.maximumWatches = maximumWatches ?? .max
        #if canImport(Glibc)
        descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        unavailableReason = descriptor >= 0 ? nil : "inotify_init1: \(WatchError.sentence(errno))"
        #else
        descriptor = -1
        unavailableReason = "this system has no inotify"
        #endif
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        buffer.deallocate()
    }

    /// Watches the directory at `path`, whose last component must not be a link.
    ///
    /// - Parameters:
    ///   - flags: what is watched from now on; a directory that is watched already gets these instead.
    ///   - isHeld: whether the caller holds a watch on this directory, so that no further one is needed.
    package func watch(_ path: String, for flags: InotifyEvent.Flags, isHeld: Bool) -> Outcome {
        guard descriptor >= 0, isHeld || count < maximumWatches else { return .refused }
        #if canImport(Glibc)
        let mask = flags.union([.onlyDirectory, .dontFollow]).rawValue
        let watch = inotify_add_watch(descriptor, path, mask)
        if watch >= 0 {
            if !isHeld { count += 1 }
            return .watching(watch)
        }
        let isExhausted = errno == ENOSPC || errno == EMFILE || errno == ENFILE || errno == ENOMEM
        return isExhausted ? .refused : .failed(code: errno)
        #else
        return .refused
        #endif
    }

    /// Ends a watch; one that the kernel has ended itself is left to ``forget()``.
    package func unwatch(_ watch: Int32) {
        #if canImport(Glibc)
        if descriptor >= 0 { _ = inotify_rm_watch(descriptor, watch) }
        #endif
        forget()
    }

    /// Counts one watch less: the kernel said that it is gone.
    package func forget() { count = max(0, count - 1) }

    /// Waits until something happened, ``WatchWakeup/signal()`` was called, or the time is up.
    func wait(milliseconds: Int32) {
        var waits = [
            pollfd(fd: wakeup.readDescriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let count = descriptor >= 0 ? 2 : 1
        // An interrupted wait is a short one: the caller looks and waits again.
        _ = poll(&waits, nfds_t(count), milliseconds)
        if waits[0].revents != 0 { wakeup.reset() }
    }

    /// Hands over the events that are there, oldest first, at most about 1 MiB of them.
    package func readEvents(_ body: (InotifyEvent) -> Void) {
        #if canImport(Glibc)
        guard descriptor >= 0, let base = buffer.baseAddress else { return }
        for _ in 0..<16 {
            let length = read(descriptor, base, buffer.count)
            guard length > 0 else { return }
            decode(UnsafeRawBufferPointer(rebasing: buffer[..<length]), body)
            if length < buffer.count / 2 { return }  // that was all
        }
        #endif
    }

    #if canImport(Glibc)
    /// Format (inotify(7)): `wd`, `mask`, `cookie`, `len`, four bytes each, then `len` bytes of name with
    /// NULs.
    private func decode(_ bytes: UnsafeRawBufferPointer, _ body: (InotifyEvent) -> Void) {
        let header = MemoryLayout<inotify_event>.size
        var index = 0
        while index + header <= bytes.count {
            let event = bytes.loadUnaligned(fromByteOffset: index, as: inotify_event.self)
            let start = index + header
            let end = start + Int(event.len)
            guard end <= bytes.count else { return }
            let name = bytes[start..<end].prefix { $0 != 0 }
            body(
                InotifyEvent(
                    watch: event.wd, flags: InotifyEvent.Flags(rawValue: event.mask),
                    name: String(decoding: name, as: UTF8.self)))
            index = end
        }
    }
    #endif
}
