/// One event of a watched directory, see inotify(7).
package struct InotifyEvent: Sendable, Equatable {
    /// What happened, and what is asked for when a watch is added; values of inotify(7).
    package struct Flags: OptionSet, Sendable, Hashable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        static let modify = Flags(rawValue: 0x2)
        static let attributes = Flags(rawValue: 0x4)
        static let closeWrite = Flags(rawValue: 0x8)
        static let movedFrom = Flags(rawValue: 0x40)
        static let movedTo = Flags(rawValue: 0x80)
        static let create = Flags(rawValue: 0x100)
        static let delete = Flags(rawValue: 0x200)
        static let deleteSelf = Flags(rawValue: 0x400)
        /// The queue was full and events are lost; nothing else is known then.
        package static let overflow = Flags(rawValue: 0x4000)
        /// The watch is gone: its directory was deleted or unmounted.
        package static let ignored = Flags(rawValue: 0x8000)
        static let onlyDirectory = Flags(rawValue: 0x0100_0000)
        static let dontFollow = Flags(rawValue: 0x0200_0000)
        static let isDirectory = Flags(rawValue: 0x4000_0000)

        /// Entries that come, go or are renamed.
        package static let entries: Flags = [.create, .movedTo, .movedFrom, .delete, .deleteSelf]
        /// ``entries``, and what is written to them.
        package static let contents: Flags = [.entries, .modify, .closeWrite, .attributes]
    }

    /// The descriptor that adding the watch gave; -1 with ``Flags/overflow``.
    package let watch: Int32
    package let flags: Flags
    /// The entry's name in the watched directory; empty for the directory itself.
    package let name: String

    /// Whether an entry was written to, and neither came nor went nor was replaced.
    var isGrowth: Bool { flags.subtracting([.modify, .closeWrite]).isEmpty }
}
