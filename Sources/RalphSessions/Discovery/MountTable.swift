/// What is mounted where, as a table of proc(5), `mountinfo`, says.
package struct MountTable: Sendable {
    /// One mounted file system.
    package struct Mount: Sendable, Equatable {
        /// Where it is mounted, an absolute path.
        package let point: String
        /// What the kernel calls its type.
        package let type: String
    }

    /// In the order of the table.
    private let mounts: [Mount]

    /// Lines that are none of such a table are passed over.
    package init(_ text: String) {
        mounts = text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count > 6, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count else {
                return nil
            }
            return Mount(point: Self.unescaped(fields[4]), type: String(fields[dash + 1]))
        }
    }

    /// What is mounted closest above `path`, by its text: no file system is asked.
    package func mount(above path: String) -> Mount? {
        var best: Mount?
        // A later mount on the same place hides the earlier one.
        for mount in mounts where mount.point.utf8.count >= best?.point.utf8.count ?? 0 {
            if path.isPath(inside: mount.point) { best = mount }
        }
        return best
    }

    /// Spaces and the like stand as three octal digits behind a backslash.
    private static func unescaped(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.count >= 3,
                let code = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            {
                bytes.append(code)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
