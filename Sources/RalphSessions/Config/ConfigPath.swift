/// Paths in configurations, taken apart as the system does.
enum ConfigPath {
    /// What stands between slashes. A slash with an accent is one character, and two bytes of a name to the system.
    static func parts(of path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    }
}
