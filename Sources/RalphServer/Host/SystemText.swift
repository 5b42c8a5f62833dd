/// Taking the text files of proc(5) apart.
enum SystemText {
    /// The words of a line.
    static func fields(_ line: some Collection<UInt8>) -> [String] {
        line.split { $0 == 0x20 || $0 == 0x09 }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// `Name:   123 kB` in bytes, of a file with such lines (`/proc/meminfo`).
    static func kilobytes(_ name: String, in text: [UInt8]) -> UInt64? {
        value(name + ":", in: text).map { $0 &* 1024 }
    }

    /// The number behind the first word of the line that begins with `name`.
    static func value(_ name: String, in text: [UInt8]) -> UInt64? {
        for line in text.split(separator: 0x0A) where line.starts(with: name.utf8) {
            let fields = fields(line)
            if fields.count > 1, fields[0] == name { return UInt64(fields[1]) }
        }
        return nil
    }
}
